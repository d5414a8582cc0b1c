import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats

/// Reads endpoints and inline requests.
extension ManifestDecoder {
    /// Reads a request: its own keys and the settings beside them.
    mutating func request(_ node: YAMLNode, level: Level) -> RequestDefinition {
        let entries = StepEntries(node)
        return RequestDefinition(
            at: address(entries, level: level) ?? Self.unknownAddress(at: node, level: level),
            method: entries[.method].flatMap { node in
                scalarTemplate(node).map { Setting($0, at: node.span, level: level) }
            },
            settings: settings(node, level: level),
            checks: inputChecks(node["check"]),
            entries,
            unknown: unknownParts(of: node),
            level: level,
            &self
        )
    }

    private mutating func address(_ entries: StepEntries, level: Level) -> Address? {
        if let url = entries[.url] {
            guard let text = scalarTemplate(url) else { return nil }
            if let error = WrittenAddress(text).urlError { report(error, at: url.span) }
            return .url(Setting(text, at: url.span, level: level))
        }
        return entries[.path].flatMap { address(short: $0, level: level) }
    }

    /// Reports expressions that cannot be part of a path, and warns of `{id}`, the OpenAPI notation for a computed
    /// part.
    private mutating func check(path: ScalarTemplate, _ node: YAMLNode) {
        if let template = path.template?.template, template.parts.count == 1, let scalar = node.scalar {
            reportNonTexts(in: template, of: scalar)
        }
        guard path.written.utf8.contains(UInt8(ascii: "{")), let name = Self.bracedName(in: path) else { return }
        diagnostics.report(
            "expression-warning",
            "'{\(name)}' is plain text here",
            severity: .warning,
            at: path.span,
            help: ["Write ${…} for a computed part, such as ${inputs.\(name)}."]
        )
    }

    /// Returns the first name in braces in the literal parts of a path.
    private static func bracedName(in path: ScalarTemplate) -> String? {
        let literals = path.template?.template.parts.compactMap { part in
            if case .literal(let text) = part { text } else { nil }
        }
        for literal in literals ?? [path.constantText ?? ""] {
            // '{{name}}' has a warning of its own.
            guard literal.utf8.contains(UInt8(ascii: "{")), !literal.contains("{{") else { continue }
            for piece in literal.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
                guard let end = piece.firstIndex(of: "}"), let first = piece.first, first.isLetter || first == "_",
                    piece[..<end].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
                else { continue }
                return String(piece[..<end])
            }
        }
        return nil
    }

    /// Reads the address of `path`, or of a short form such as `get`: a path or an absolute URL.
    mutating func address(short node: YAMLNode, level: Level) -> Address? {
        guard let text = scalarTemplate(node) else { return nil }
        let setting = Setting(text, at: text.span, level: level)
        switch WrittenAddress(text).target {
        case .path:
            check(path: text, node)
            return .path(setting)
        case .url: return .url(setting)
        case .unknown:
            check(path: text, node)
            return .computed(setting)
        case .invalid(let error):
            report(error, at: text.span)
            return nil
        }
    }

    /// Reports an error in an address.
    mutating func report(_ error: WrittenAddress.SyntaxError, at span: SourceSpan) {
        diagnostics.report("invalid-url", error.message, at: span, help: [error.help])
    }

    /// Reads a download.
    mutating func download(_ node: YAMLNode, level: Level) -> Download {
        var download = Download(span: node.span, level: level)
        download.to = node["to"].flatMap { scalarTemplate($0) }
        download.resumes = node["resume"].flatMap { boolean($0) } ?? true
        download.replaces = node["replace"].flatMap { boolean($0) } ?? true
        if let (key, value) = node["checksum"]?.entries.first, let algorithm: Digest.Algorithm = word(key) {
            download.checksum = digest(value, algorithm).map { (algorithm, $0) }
        }
        return download
    }

    /// Reads a digest: an expression, or the digest itself in hexadecimal.
    private mutating func digest(_ node: YAMLNode, _ algorithm: Digest.Algorithm) -> ManifestExpression? {
        if let scalar = node.scalar, algorithm.isHexadecimal(scalar.text),
            let literal = try? Template.expression(in: "'\(scalar.text)'")
        {
            return ManifestExpression(literal, in: scalar)
        }
        if let text = node.scalar?.text, Digest.Algorithm.looksHexadecimal(text) {
            reportWrongDigest(text, algorithm, at: node.span)
            return nil
        }
        guard let expression = expression(node) else { return nil }
        if expression.expression.resultType.isDisjoint(with: .string) {
            let message =
                "a checksum must be a string of hexadecimal digits, but '\(expression.expression.text)' is not a string"
            diagnostics.report("wrong-type", message, at: expression.span)
        }
        if let text = expression.expression.literalText, algorithm.bytes(ofDigest: text) == nil {
            reportWrongDigest(text, algorithm, at: node.span)
        }
        return expression
    }

    private mutating func reportWrongDigest(_ text: String, _ algorithm: Digest.Algorithm, at span: SourceSpan) {
        let help = "Write the digits, or an expression such as steps.sums.outputs.digest."
        diagnostics.report("invalid-checksum", algorithm.words(onWrong: text), at: span, help: [help])
    }

    /// Reads one example response or a list of them.
    mutating func mockExamples(_ node: YAMLNode) -> [MockExample] {
        (node.sequence ?? [node]).map { mockExample($0) }
    }

    private mutating func mockExample(_ node: YAMLNode) -> MockExample {
        let headline = "the content of an example is sent as it is written"
        warnOfTemplates(in: node["headers"], headline)
        warnOfTemplates(in: node["body"], headline)
        return MockExample(
            status: node["status"].flatMap { integer($0) } ?? 200,
            headers: named(node["headers"]).map { ($0.name.value, $0.value.text ?? "") },
            body: node["body"].map { $0.json },
            delay: node["delay"].flatMap { constantDuration($0) } ?? .zero,
            span: node.span
        )
    }
}

/// Reads the parts that are evaluated from a response: outputs, variables, and the shape of its data.
extension ManifestDecoder {
    /// Reads outputs.
    mutating func outputs(_ node: YAMLNode?, level: Level) -> [OutputDefinition] {
        constantNames(node, isData: false).compactMap { name, node in
            if leavesOut(node) { return nil }
            if name.value == "secret", let mark = boolean(node) {
                diagnostics.report(
                    "misplaced-key",
                    "'secret' marks a single value, but is beside the values here",
                    at: name.span,
                    help: [
                        "Write 'NAME: {value: …, secret: \(mark)}' for each value that it marks.",
                        "For a value that is named 'secret', write 'secret: {value: \(mark)}'.",
                    ]
                )
            }
            let value = node.mapping == nil ? node : node["value"]
            let secretMark = node["secret"].flatMap { boolean($0) }
            guard let expression = value.flatMap({ expression($0) }) else { return nil }
            if expression.expression.isRaw {
                diagnostics.report(
                    "invalid-value",
                    "raw() has no effect in an output: it marks a value where it is inserted into a path",
                    at: expression.span,
                    help: ["Write the value without raw() here, and ${raw(…)} in the path."]
                )
            }
            return OutputDefinition(name: name, value: expression, secretMark: secretMark, level: level)
        }
    }

    /// Reads variables, which are computed before each attempt.
    mutating func variables(_ node: YAMLNode?, level: Level) -> [VariableDefinition] {
        constantNames(node, isData: false).compactMap { name, node in
            if leavesOut(node) { return nil }
            return valueTemplate(node).map { VariableDefinition(name: name, value: $0, level: level) }
        }
    }

    /// Reads the required shape of the data.
    mutating func returnShape(_ node: YAMLNode?, level: Level) -> ReturnShape? {
        guard let node, let (key, value) = node.entries.first else { return nil }
        return schema(value).map {
            ReturnShape(isCollection: key.text == "collection", schema: $0, span: value.span, level: level)
        }
    }
}
