mkfifo pipe pipe.json pipe.pem
