#!/bin/sh
# All orders.
curl -s "https://api.example.com/orders?state=open" -u "demo:$PASSWORD" | jq length
# One order.
curl -s https://api.example.com/orders/7 -u "demo:$PASSWORD"
curl -s https://api.example.com/orders/8 -u "demo:$PASSWORD"
