# A filter in a filter, 15,000 times.
{
    echo 'waybill: 1'
    echo 'filters:'
    for i in $(seq 1 15000); do echo "  f$i: [f$((i + 1))]"; done
    echo '  f15001: [{limit: 1}]'
    echo 'graphs: {main: {chain: [{get: "http://127.0.0.1:1/", filters: [f1]}]}}'
} >manifest.yaml
