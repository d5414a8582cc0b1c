mkdir schemas && mv order.json item.json schemas/
