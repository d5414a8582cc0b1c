cp "$PROJECT/manifests/quickstart.yaml" .
