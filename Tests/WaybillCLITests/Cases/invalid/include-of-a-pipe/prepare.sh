mkfifo pipe.yaml
