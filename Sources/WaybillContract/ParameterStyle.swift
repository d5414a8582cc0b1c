import WaybillFormats
import WaybillJSON

/// How the value of a parameter is written (OpenAPI 3.1.1, section 4.8.12.3; RFC 6570).
package enum ParameterStyle: String, Sendable {
    case simple, label, matrix, form, spaceDelimited, pipeDelimited, deepObject
    /// As `form`, but nothing is encoded, and pairs are separated by `; ` (OpenAPI 3.2).
    case cookie
}

/// Writes the values of a parameter in its style.
struct ParameterWriter: Sendable {
    let name: String
    let style: ParameterStyle
    let explodes: Bool
    /// What of a value is percent-encoded.
    let encoding: Encoding

    /// What is percent-encoded.
    enum Encoding: Sendable {
        /// Everything but unreserved characters.
        case component
        /// What a URL cannot contain; reserved characters and escapes are kept (`allowReserved`).
        case literal
        /// As in forms, with `+` for a space: in a whole query (OpenAPI 3.2.0, section 4.12.1).
        case form
        /// Nothing: in header fields.
        case none
    }

    /// Returns the text of a value as it is sent, with the name where the style has it; `nil` if the value cannot be
    /// written in the style.
    func text(of value: JSON) -> String? {
        switch value {
        case .array(let elements): list(elements)
        case .object(let members): object(members)
        case .null: single("")
        default: value.parameterText.flatMap { single(encoded($0)) }
        }
    }

    private func single(_ text: String) -> String? {
        switch style {
        case .simple: text
        case .label: "." + text
        case .matrix: text.isEmpty ? ";\(encodedName)" : ";\(encodedName)=\(text)"
        case .form, .cookie: "\(encodedName)=\(text)"
        case .spaceDelimited, .pipeDelimited, .deepObject: nil
        }
    }

    private func list(_ elements: [JSON]) -> String? {
        let defined = elements.filter { $0 != .null }
        let texts = defined.compactMap(\.parameterText).map(encoded)
        guard texts.count == defined.count, !texts.contains(where: hasDelimiter) else { return nil }
        switch style {
        case .simple: return texts.joined(separator: ",")
        case .label: return "." + texts.joined(separator: explodes ? "." : ",")
        case .matrix:
            if explodes { return texts.map { $0.isEmpty ? ";\(encodedName)" : ";\(encodedName)=\($0)" }.joined() }
            return ";\(encodedName)=" + texts.joined(separator: ",")
        case .form, .cookie, .spaceDelimited, .pipeDelimited:
            if explodes { return texts.map { "\(encodedName)=\($0)" }.joined(separator: pairSeparator) }
            return "\(encodedName)=" + texts.joined(separator: delimiter)
        case .deepObject: return nil
        }
    }

    private func object(_ members: JSONObject) -> String? {
        let defined = members.filter { $0.value != .null }
        if style == .deepObject { return deep(defined, below: name)?.joined(separator: "&") }
        let pairs = defined.compactMap { member -> (name: String, value: String)? in
            member.value.parameterText.map { (encoded(member.name), encoded($0)) }
        }
        guard pairs.count == defined.count, !pairs.contains(where: { hasDelimiter($0.name) || hasDelimiter($0.value) })
        else { return nil }
        let flat = pairs.flatMap { [$0.name, $0.value] }
        let assigned = pairs.map { "\($0.name)=\($0.value)" }
        switch style {
        case .simple: return (explodes ? assigned : flat).joined(separator: ",")
        case .label: return "." + (explodes ? assigned.joined(separator: ".") : flat.joined(separator: ","))
        case .matrix:
            return explodes ? assigned.map { ";" + $0 }.joined() : ";\(encodedName)=" + flat.joined(separator: ",")
        case .form, .cookie, .spaceDelimited, .pipeDelimited:
            if explodes { return assigned.joined(separator: pairSeparator) }
            return "\(encodedName)=" + flat.joined(separator: delimiter)
        case .deepObject: return nil
        }
    }

    /// The pairs of an object in the style `deepObject`. OpenAPI defines it for scalars only; lists and objects inside are
    /// written as most servers read them.
    private func deep(_ members: [(name: String, value: JSON)], below prefix: String) -> [String]? {
        var pairs: [String] = []
        for (name, value) in members {
            let key = "\(prefix)[\(name)]"
            switch value {
            case .object(let inner):
                guard let inside = deep(inner.filter { $0.value != .null }, below: key) else { return nil }
                pairs += inside
            case .array(let elements):
                let texts = elements.compactMap(\.parameterText)
                guard texts.count == elements.count else { return nil }
                pairs += texts.map { "\(PercentEncoding.component(key))=\(encoded($0))" }
            default:
                guard let text = value.parameterText else { return nil }
                pairs.append("\(PercentEncoding.component(key))=\(encoded(text))")
            }
        }
        return pairs
    }

    /// Whether a part of a list or an object has what would separate it from the next part.
    private func hasDelimiter(_ text: String) -> Bool {
        switch style {
        case .simple: encoding == .none && text.utf8.contains(UInt8(ascii: ","))
        case .cookie: text.utf8.contains { $0 == UInt8(ascii: explodes ? ";" : ",") }
        case .spaceDelimited, .pipeDelimited: !explodes && text.contains(delimiter)
        case .label, .matrix, .form, .deepObject: false
        }
    }

    private var encodedName: String { encoding == .none ? name : PercentEncoding.component(name) }

    /// What separates the elements of a list that is one value.
    private var delimiter: String {
        switch style {
        case .spaceDelimited: "%20"
        case .pipeDelimited: "%7C"
        default: ","
        }
    }

    private var pairSeparator: String { style == .cookie ? "; " : "&" }

    private func encoded(_ text: String) -> String { Self.encoded(text, encoding) }

    /// Returns a text with what must be encoded percent-encoded.
    static func encoded(_ text: String, _ encoding: Encoding) -> String {
        switch encoding {
        case .component: PercentEncoding.component(text)
        // Another parameter or a fragment would start there.
        case .literal: PercentEncoding.literal(text).replacing("#", with: "%23").replacing("&", with: "%26")
        case .form: PercentEncoding.form(text)
        case .none: text
        }
    }
}

extension JSON {
    /// Whether a parameter or a field of a form with this value is not sent: null, or a list or object without defined values
    /// (RFC 6570, section 2.3).
    var isUndefined: Bool {
        switch self {
        case .null: true
        case .array(let elements): elements.allSatisfy { $0 == .null }
        case .object(let members): members.allSatisfy { $0.value == .null }
        case .bool, .number, .string, .bytes: false
        }
    }

    /// The text of a scalar in a parameter; `nil` for any other value.
    var parameterText: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let value): value ? "true" : "false"
        case .null, .bytes, .array, .object: nil
        }
    }
}
