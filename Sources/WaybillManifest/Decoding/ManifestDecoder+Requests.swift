import WaybillData
import WaybillDiagnostics

/// Endpoints and requests in place.
extension ManifestDecoder {
    /// An endpoint.
    mutating func endpoint(_ node: YAMLNode, named name: String) -> Endpoint? {
        let inputs = inputs(node["inputs"])
        return request(node, level: .endpoint(name)).map { Endpoint(inputs: inputs, request: $0) }
    }

    /// A request: its own keys and the settings beside them.
    mutating func request(_ node: YAMLNode, level: Level) -> RequestDefinition? {
        // All parts are read, also when one of them cannot be, so that every mistake is found.
        let address = address(node, level: level)
        var request = RequestDefinition(
            address: address ?? .path(Setting(ScalarTemplate(node), at: node.span, level: level))
        )
        request.settings = settings(node, level: level)
        complete(&request, from: node, level: level)
        return address == nil ? nil : request
    }

    /// Reads the keys of a request that are no settings.
    mutating func complete(_ request: inout RequestDefinition, from node: YAMLNode, level: Level) {
        for (key, value) in node.mapping?.entries ?? .empty {
            switch key.text {
            case "service": request.service = text(value)
            case "method": request.method = text(value)
            case "vars": request.vars = variables(value, level: level)
            case "outputs": request.outputs = outputs(value, level: level)
            case "returns": request.returns = returnShape(value, level: level)
            case "download": request.download = download(value, level: level)
            case "mock": request.mock = mockExamples(value)
            default: break
            }
        }
    }

    private mutating func address(_ node: YAMLNode, level: Level) -> Address? {
        if let url = node["url"] {
            return scalarTemplate(url).map { .url(Setting($0, at: url.span, level: level)) }
        }
        guard let path = node["path"] else { return nil }
        return scalarTemplate(path).map { .path(Setting($0, at: path.span, level: level)) }
    }

    private mutating func download(_ node: YAMLNode, level: Level) -> Download {
        var download = Download(span: node.span, level: level)
        download.to = node["to"].flatMap { scalarTemplate($0) }
        download.resumes = node["resume"].flatMap { boolean($0) } ?? true
        download.replaces = node["replace"].flatMap { boolean($0) } ?? true
        if let (key, value) = node["checksum"]?.mapping?.entries.first, let digest = word(key) as Download.Digest? {
            download.checksum = expression(value).map { (digest, $0) }
        }
        return download
    }

    /// One example answer or a list of them.
    func mockExamples(_ node: YAMLNode) -> [MockExample] {
        (node.sequence ?? [node]).map { mockExample($0) }
    }

    private func mockExample(_ node: YAMLNode) -> MockExample {
        MockExample(
            status: node["status"].flatMap { integer($0) } ?? 200,
            headers: named(node["headers"]).map { ($0.name.value, $0.value.text ?? "") },
            body: node["body"].map { $0.json },
            delay: node["delay"]?.text.flatMap { Duration(manifestText: $0) } ?? .zero,
            span: node.span
        )
    }
}

extension ScalarTemplate {
    /// What stands for an address that could not be read.
    fileprivate init(_ node: YAMLNode) {
        self.init(content: .constant(.null, text: ""), span: node.span)
    }
}
