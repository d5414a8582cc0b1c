curl https://api.example.com/health
