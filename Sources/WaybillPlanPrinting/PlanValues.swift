import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The values of a plan as written in its sources, found by their spans. Literal credentials and the values of secrets
/// are masked. This type knows nothing about the constructs of the language.
struct PlanValues: Sendable {
    /// Masks the values of secrets.
    private let redactor: Redactor
    private let index: SourceIndex

    /// Indexes the values of some documents.
    init(_ documents: [YAMLNode], redactor: Redactor) {
        self.redactor = redactor
        index = SourceIndex(documents)
    }

    // MARK: Values by their spans

    /// Returns the value of a setting; `null` if it removes a name.
    func value(_ setting: Setting<any SettingDefinition>) -> JSON {
        let keys = [setting.value.key] + (setting.value.part.map { [$0] } ?? [])
        return value(at: setting.span, keys)
    }

    /// Returns the value at a span; `null` if there is none.
    ///
    /// - Parameter keys: The keys that contain it, which decide whether it is a credential.
    func value(at span: SourceSpan, _ keys: [String] = []) -> JSON {
        node(at: span).map { shown($0, keys) } ?? .null
    }

    /// Returns the value of a key of the mapping at a span.
    func value(of key: String, at span: SourceSpan) -> JSON? {
        node(at: span)?[key].map { shown($0, [key]) }
    }

    /// Returns the value of a key of the mapping at a span on one line.
    func line(of key: String, at span: SourceSpan) -> String? { value(of: key, at: span).map(Self.line) }

    /// Returns the mapping of the entry whose key is at a span, such as an endpoint.
    func mapping(ofKeyAt span: SourceSpan) -> YAMLMapping? { index.value(ofKeyAt: span)?.mapping }

    /// Returns a value that contains templates.
    func value(_ template: ValueTemplate) -> JSON {
        if let node = node(at: template.span) { return shown(node, []) }
        // The program made this one, for a call of an endpoint.
        if case .scalar(let scalar) = template { return .string(text(scalar)) }
        return template.constant.map { value($0) } ?? .null
    }

    /// Returns a value of the sources, masked. Recursive, as deep as the value, whose depth is limited when it is read.
    func shown(_ node: YAMLNode, _ keys: [String]) -> JSON {
        switch node.content {
        case .sequence(let elements): .array(elements.map { shown($0, keys) })
        case .mapping(let mapping):
            .object(
                JSONObject(
                    mapping.entries.map { key, value in
                        let name = key.text ?? ""
                        return (text(name), shown(value, keys + [name]))
                    }
                )
            )
        case .scalar(let scalar):
            CredentialMask.isCredential(keys) && scalar.json != .null
                ? .string(redactor.redact(CredentialMask.credential(scalar.text))) : value(Self.json(scalar))
        }
    }

    private func node(at span: SourceSpan) -> YAMLNode? { index.node(at: span) }

    /// Returns the value of a scalar. A number in a notation that JSON does not have is a string.
    private static func json(_ scalar: YAMLScalar) -> JSON {
        let json = scalar.json
        guard json.kind == .number, JSONWriter().string(json) != scalar.text else { return json }
        return .string(scalar.text)
    }

    // MARK: Texts and constants

    /// Returns a string of the manifest, masked.
    func text(_ text: String) -> String {
        redactor.redact(CredentialMask.userInformation(in: text))
    }

    /// Returns the text of a scalar, masked.
    func text(_ scalar: ScalarTemplate) -> String {
        // A literal '${' is written '$${' in a template.
        text(scalar.constantText?.replacing("${", with: "$${") ?? scalar.written)
    }

    /// Returns the text of an expression, masked.
    func text(_ expression: ManifestExpression) -> String {
        text(expression.expression.text)
    }

    /// Returns a constant value, masked.
    func value(_ json: JSON) -> JSON {
        redactor.redact(Self.mapStrings(of: json, CredentialMask.userInformation))
    }

    /// Returns a value on one line, for people. A string is shown without quotes, unless it is empty.
    static func line(_ json: JSON) -> String {
        json.string.map { $0.isEmpty ? "''" : $0 } ?? JSONWriter().string(json)
    }

    /// Recursive, as deep as the value, whose depth is limited when it is read.
    private static func mapStrings(of json: JSON, _ transform: (String) -> String) -> JSON {
        switch json {
        case .null, .bool, .number, .bytes: json
        case .string(let text): .string(transform(text))
        case .array(let elements): .array(elements.map { mapStrings(of: $0, transform) })
        case .object(let members): .object(members.mapValues { mapStrings(of: $0, transform) })
        }
    }
}

extension PlanValues {
    /// Returns the URL of a request, with the templates of its parts as written.
    func address(of request: RequestPlan) -> String {
        let written = text(request.address.text.value)
        guard case .path = request.address else { return written }
        var address = request.settings.baseURL.map { text($0.value) } ?? ""
        if let version = request.settings.version { address = Self.joined(address, text(version.value)) }
        return written.isEmpty ? address : written.hasPrefix("?") ? address + written : Self.joined(address, written)
    }

    private static func joined(_ base: String, _ rest: String) -> String {
        var base = Substring(base)
        while base.last == "/" { base.removeLast() }
        return base + "/" + rest.drop { $0 == "/" }
    }
}

extension JSON {
    /// Returns an object of the members that have a value.
    static func present(_ members: [(name: String, value: JSON?)]) -> JSON {
        .object(JSONObject(members.compactMap { name, value in value.map { (name, $0) } }))
    }

    /// An integer.
    static func count(_ number: Int) -> JSON { .number(JSONNumber(number)) }
}
