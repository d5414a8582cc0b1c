printf 'waybill: 1\nname: \000\001\002\n' > manifest.yaml
