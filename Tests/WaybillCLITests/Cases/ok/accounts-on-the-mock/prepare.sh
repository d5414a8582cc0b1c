cp -R "$PROJECT/manifests/accounts.yaml" "$PROJECT/manifests/common" .
