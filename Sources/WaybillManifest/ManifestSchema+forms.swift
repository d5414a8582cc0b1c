import WaybillJSON
import WaybillSchema

/// What the value of a key may look like, as the schema of manifests has it, to show where something else was written.
struct ManifestForms: Sendable {
    private let document: JSON

    /// The forms that a schema document allows.
    init(schema: JSON) {
        document = schema
    }

    /// An example of what to write instead of a value that is a violation; `nil` where the message says all.
    ///
    /// - Parameter text: The value, where it is a scalar.
    func help(on violation: SchemaViolation, text: String?) -> String? {
        guard case .name(let key) = violation.instanceLocation.tokens.last, !violation.concernsName,
            let schema = schema(of: violation)
        else { return nil }
        switch violation.detail {
        case .wrongType(expected: [.object], _, _):
            return mapping(alternatives(of: schema), text).map { "Write for example \(key): \($0)." }
        case .wrongType(expected: [.array], let found, _):
            let holdsMappings = found == .object || resolved(schema["items"] ?? true)["type"] == "object"
            return "Write a list, such as \(key): [\(holdsMappings ? "{…}" : Self.plain(text) ?? "…")]."
        case .notAllowedValue:
            // A word may be the name of a key in the mapping that it stands for.
            return member(named: text, in: alternatives(of: schema)).map { "Write \(key): \($0)." }
        default: return nil
        }
    }

    /// The schema that holds the keyword of a violation.
    private func schema(of violation: SchemaViolation) -> JSON? {
        guard let mark = violation.absoluteKeywordLocation.lastIndex(of: "#"),
            let keyword = JSONPointer(parsing: String(violation.absoluteKeywordLocation[mark...].dropFirst()))
        else { return nil }
        return JSONPointer(keyword.tokens.dropLast()).resolve(in: document)
    }

    /// The schemas of mappings that a schema allows.
    private func alternatives(of schema: JSON, depth: Int = 0) -> [JSON] {
        guard depth < 8 else { return [] }
        var found = schema["properties"] != nil || schema["additionalProperties"] != nil ? [schema] : []
        if schema["$ref"] != nil { found += alternatives(of: resolved(schema), depth: depth + 1) }
        for keyword in ["oneOf", "anyOf"] {
            for part in schema[keyword]?.array ?? [] {
                found +=
                    part["required"] != nil && part["properties"] == nil
                    ? [part] : alternatives(of: part, depth: depth + 1)
            }
        }
        return found
    }

    /// The schema that a schema refers to, or itself.
    private func resolved(_ schema: JSON) -> JSON {
        guard let reference = schema["$ref"]?.string, let pointer = JSONPointer(parsing: String(reference.dropFirst()))
        else { return schema }
        return pointer.resolve(in: document) ?? schema
    }

    /// A mapping of one of some forms: with the word that was written for a key, or for the value of the only key needed.
    private func mapping(_ forms: [JSON], _ text: String?) -> String? {
        if let member = member(named: text, in: forms) { return member }
        let needed = forms.compactMap { $0["required"]?.array?.compactMap(\.string) }.filter { !$0.isEmpty }
        if let first = needed.first {
            let value = needed.count == 1 && first.count == 1 ? self.value(text, of: first[0], in: forms) : nil
            return "{\(first.map { "\($0): \(value ?? "…")" }.joined(separator: ", "))}"
        }
        let names = forms.lazy.flatMap { $0["properties"]?.object?.names ?? [] }
        if let name = names.first(where: { $0 != "description" }) { return "{\(name): …}" }
        return forms.contains { $0["additionalProperties"]?.object != nil } ? "{NAME: …}" : nil
    }

    /// A text as the value of a key in a mapping of one of some forms. Where a template is not allowed, its expression:
    /// `${env.TOKEN}` becomes `TOKEN`.
    private func value(_ text: String?, of key: String, in forms: [JSON]) -> String? {
        guard let text, text.hasPrefix("${"), text.hasSuffix("}"),
            let schema = forms.lazy.compactMap({ $0["properties"]?[key] }).first
        else { return Self.plain(text) }
        let inner = String(text.dropFirst(2).dropLast())
        if schema["x-waybill-expression"] == true { return Self.plain(inner) }
        guard schema["$ref"] == "#/$defs/constant" else { return nil }
        return Self.plain(inner.split(separator: ".").last.map(String.init))
    }

    private func member(named name: String?, in forms: [JSON]) -> String? {
        guard let name, let schema = forms.lazy.compactMap({ $0["properties"]?[name] }).first else { return nil }
        return "{\(name): \(schema["const"].map { JSONWriter().string($0) } ?? "…")}"
    }

    /// The text, where it needs no quotes inside a mapping or list.
    private static func plain(_ text: String?) -> String? {
        guard let text, text.first.map({ $0.isASCII && ($0.isLetter || $0.isNumber || "$./".contains($0)) }) == true,
            text.unicodeScalars.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789$./_-".unicodeScalars.contains($0))
            })
        else { return nil }
        return text
    }
}
