import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillResults

/// Values of a manifest as they were written, templates and expressions as their texts, without what must not be shown:
/// credentials that somebody wrote down, and texts that are the value of a secret.
struct WrittenForm: Sendable {
    /// What knows the values of secrets.
    let redactor: Redactor

    // MARK: Texts

    /// A text that stands in the manifest or comes from it.
    func text(_ text: String) -> String {
        redactor.redact(CredentialMask.userInformation(in: text))
    }

    /// The text of a scalar.
    func text(_ scalar: ScalarTemplate) -> String {
        switch scalar.content {
        case .constant(_, let text): self.text(Self.escaped(text))
        case .template(let template): text(template.template.text)
        }
    }

    /// The text of a scalar that is a credential.
    func credential(_ scalar: ScalarTemplate) -> String {
        redactor.redact(CredentialMask.credential(scalar))
    }

    /// The text of an expression.
    func text(_ expression: ManifestExpression) -> String {
        text(expression.expression.text)
    }

    /// A duration.
    func text(_ duration: DurationTemplate) -> String {
        switch duration {
        case .constant(let duration): duration.manifestText
        case .template(let template): text(template.template.text)
        }
    }

    // MARK: Values

    /// A constant value.
    func value(_ json: JSON) -> JSON {
        redactor.redact(Self.mapStrings(of: json, CredentialMask.userInformation))
    }

    /// A scalar: its text if it is a template, else its value.
    func value(_ scalar: ScalarTemplate) -> JSON {
        switch scalar.content {
        case .constant(let value, _): self.value(Self.mapStrings(of: value, Self.escaped))
        case .template: .string(text(scalar))
        }
    }

    /// A value with templates in it.
    func value(_ template: ValueTemplate) -> JSON {
        switch template {
        case .scalar(let scalar): value(scalar)
        case .list(let elements, _): .array(elements.map(value))
        case .mapping(let members, _): value(members)
        }
    }

    /// Members of a mapping.
    func value(_ members: [ValueTemplate.Member]) -> JSON {
        .object(JSONObject(members.map { (text($0.name.value), value($0.value)) }))
    }

    /// Texts, one alone or a list.
    func value(_ scalars: [ScalarTemplate], isCredential: Bool = false) -> JSON {
        let texts = scalars.map { JSON.string(isCredential ? credential($0) : text($0)) }
        return texts.count == 1 ? texts[0] : .array(texts)
    }

    /// A value on one line, for people: a text as it is unless it would be taken for something else.
    static func line(_ json: JSON) -> String {
        json.string.map { $0.isEmpty ? "''" : $0 } ?? JSONWriter().string(json)
    }

    /// A literal text as a template position has it.
    private static func escaped(_ text: String) -> String {
        text.contains("${") ? text.replacing("${", with: "$${") : text
    }

    /// Recursive, as deep as the value: a value's depth is limited where it is read.
    private static func mapStrings(of json: JSON, _ transform: (String) -> String) -> JSON {
        switch json {
        case .null, .bool, .number, .bytes: json
        case .string(let text): .string(transform(text))
        case .array(let elements): .array(elements.map { mapStrings(of: $0, transform) })
        case .object(let members): .object(members.mapValues { mapStrings(of: $0, transform) })
        }
    }
}

extension JSONObject {
    /// An object of those members that have a value.
    static func present(_ members: [(name: String, value: JSON?)]) -> JSONObject {
        JSONObject(members.compactMap { name, value in value.map { (name, $0) } })
    }
}

extension JSON {
    /// A whole number.
    static func count(_ number: Int) -> JSON { .number(JSONNumber(number)) }
}

extension Duration {
    /// The duration as manifests write it, in the largest unit that it is a whole number of.
    var manifestText: String {
        let (seconds, attoseconds) = components
        if attoseconds == 0 {
            for (unit, size) in [("h", 3600), ("m", 60)] as [(String, Int64)]
            where seconds != 0 && seconds.isMultiple(of: size) {
                return "\(seconds / size)\(unit)"
            }
            return "\(seconds)s"
        }
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        if seconds > 0 { return "\(Double(nanoseconds) / 1e9)s" }
        guard nanoseconds.isMultiple(of: 1_000_000) else { return "\(Double(nanoseconds) / 1e6)ms" }
        return "\(nanoseconds / 1_000_000)ms"
    }
}
