mkdir schemas && mv order.json item.json address.json schemas/
