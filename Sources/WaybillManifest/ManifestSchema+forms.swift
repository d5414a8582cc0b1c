package import WaybillJSON
import WaybillSchema

/// The forms that the schema of manifests allows for the value of a key, for examples in help messages.
package struct ManifestForms: Sendable {
    private let document: JSON

    /// Creates the forms from a schema document.
    package init(schema: JSON) {
        document = schema
    }

    /// Returns an example of what to write instead of an invalid value; `nil` if the message is sufficient.
    ///
    /// - Parameter text: The value, if it is a scalar.
    func help(on violation: SchemaViolation, text: String?) -> String? {
        if case .missingName(let names) = violation.detail, let name = names.first {
            let example = keyword(of: violation).flatMap { self.example(of: name, requiredBy: $0) }
            return example.map { "Add for example \(name): \($0)." }
        }
        guard case .name(let key) = violation.instanceLocation.tokens.last, !violation.concernsName,
            let schema = schema(of: violation)
        else { return nil }
        switch violation.detail {
        case .wrongType(expected: [.object], _, _), .wrongType(expected: [.array, .object], found: .string, _),
            .wrongType(expected: [.object, .array], found: .string, _):
            return mapping(alternatives(of: schema), text).map { "Write for example \(key): \($0)." }
        case .wrongType(expected: [.array], let found, _):
            let holdsMappings = found == .object || resolved(schema["items"] ?? true)["type"] == "object"
            return "Write a list, such as \(key): [\(holdsMappings ? "{…}" : Self.plain(text) ?? "…")]."
        case .notAllowedValue:
            // A word may be the name of a key in the mapping that is expected.
            return member(named: text, in: alternatives(of: schema)).map { "Write \(key): \($0)." }
        default: return nil
        }
    }

    /// Returns an example of a key that a keyword of the schema requires: from the schema of the keyword, or else from one that
    /// it is an alternative of.
    package func example(of key: String, requiredBy keyword: JSONPointer) -> String? {
        var location = Array(keyword.tokens.dropLast())
        while true {
            let forms = JSONPointer(location).resolve(in: document).map { alternatives(of: $0) } ?? []
            if let found = forms.lazy.compactMap({ example(of: $0["properties"]?[key]) }).first { return found }
            guard let last = location.popLast(), ![.name("properties"), .name("items"), .name("$defs")].contains(last)
            else { return nil }
        }
    }

    /// Returns the constant that a schema requires, its example, or the first of its values.
    private func example(of schema: JSON?) -> String? {
        guard let schema else { return nil }
        let all = [schema, resolved(schema)]
        let value = schema["const"] ?? all.lazy.compactMap { ($0["examples"] ?? $0["enum"])?.array?.first }.first
        return value.map { Self.plain($0.string) ?? JSONWriter().excerpt(of: $0, 80) }
    }

    /// Returns the location of the keyword of a violation.
    private func keyword(of violation: SchemaViolation) -> JSONPointer? {
        violation.absoluteKeywordLocation.lastIndex(of: "#").flatMap {
            JSONPointer(parsing: String(violation.absoluteKeywordLocation[$0...].dropFirst()))
        }
    }

    /// Returns the schema that contains the keyword of a violation.
    private func schema(of violation: SchemaViolation) -> JSON? {
        keyword(of: violation).flatMap { JSONPointer($0.tokens.dropLast()).resolve(in: document) }
    }

    /// Returns the schemas of mappings that a schema allows.
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

    /// Returns the schema that a schema references, or the schema itself.
    private func resolved(_ schema: JSON) -> JSON {
        guard let reference = schema["$ref"]?.string, let pointer = JSONPointer(parsing: String(reference.dropFirst()))
        else { return schema }
        return pointer.resolve(in: document) ?? schema
    }

    /// Returns a mapping of one of some forms. The scalar that was written is used as its key, or as the value of its
    /// only required key.
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

    /// Returns a scalar as the value of a key in a mapping of one of some forms. If templates are not allowed there,
    /// the expression inside is used: `${env.TOKEN}` becomes `TOKEN`.
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

    /// Returns the string if it needs no quotes inside a mapping or list.
    private static func plain(_ text: String?) -> String? {
        guard let text, text.first.map({ $0.isASCII && ($0.isLetter || $0.isNumber || "$./".contains($0)) }) == true,
            text.unicodeScalars.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789$./_-".unicodeScalars.contains($0))
            })
        else { return nil }
        return text
    }
}
