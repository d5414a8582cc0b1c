curl https://api.example.com/a
curl -H 'X-Region: eu https://api.example.com/orders
