mkdir schemas && mv order.json schemas/
