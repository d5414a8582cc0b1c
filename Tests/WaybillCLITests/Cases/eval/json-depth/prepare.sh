head -c 600 /dev/zero | tr '\0' '[' > a.json
