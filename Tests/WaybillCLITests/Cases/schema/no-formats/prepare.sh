mkdir defs && mv item.yaml price.json defs/
