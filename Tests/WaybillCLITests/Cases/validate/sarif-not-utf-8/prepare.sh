printf 'waybill: 1\nname: caf\351\n' > manifest.yaml
