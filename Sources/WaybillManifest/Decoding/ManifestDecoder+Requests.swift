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
        let entries = KnownEntries<StepKey>(node)
        guard let address = address(entries, level: level) else {
            // The rest is read all the same, so that every mistake in it is found.
            _ = settings(node, level: level)
            var unread = RequestDefinition(address: .path(Setting(.nothing(at: node.span), at: node.span, level: level)))
            complete(&unread, from: entries, level: level)
            return nil
        }
        var request = RequestDefinition(address: address)
        request.settings = settings(node, level: level)
        complete(&request, from: entries, level: level)
        return request
    }

    /// Reads the keys of a request that are no settings.
    mutating func complete(_ request: inout RequestDefinition, from entries: KnownEntries<StepKey>, level: Level) {
        request.service = entries[.service].flatMap { text($0) }
        request.method = entries[.method].flatMap { text($0) }
        if let vars = entries[.vars] { request.vars = variables(vars, level: level) }
        if let outputs = entries[.outputs] { request.outputs = self.outputs(outputs, level: level) }
        request.returns = returnShape(entries[.returns], level: level)
        if let download = entries[.download] { request.download = self.download(download, level: level) }
        if let mock = entries[.mock] { request.mock = mockExamples(mock) }
    }

    private mutating func address(_ entries: KnownEntries<StepKey>, level: Level) -> Address? {
        if let url = entries[.url] {
            return scalarTemplate(url).map { .url(Setting($0, at: url.span, level: level)) }
        }
        guard let path = entries[.path] else { return nil }
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
    /// What stands for a scalar that could not be read.
    fileprivate static func nothing(at span: SourceSpan) -> ScalarTemplate {
        ScalarTemplate(content: .constant(.null, text: ""), span: span)
    }
}
