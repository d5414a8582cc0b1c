mkdir schemas && mv order.json schemas/ && ln -s ../a.json schemas/linked.json
