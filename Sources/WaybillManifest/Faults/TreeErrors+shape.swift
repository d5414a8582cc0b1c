import WaybillDiagnostics
import WaybillJSON
import WaybillSchema

/// Violations of the schema.
extension TreeErrors {
    /// Whether a violation of the schema is the consequence of an error that is already known.
    func explain(_ violation: SchemaViolation, in root: YAMLNode) -> Bool {
        var node = root
        if isUnknown(node) { return true }
        for token in violation.instanceLocation.tokens {
            guard let next = node.node(at: JSONPointer([token])) else { return false }
            node = next
            if isUnknown(node) { return true }
        }
        switch violation.detail {
        case .missingName, .conflictingNames, .other: return doubtsKeys(of: node)
        case .unknownName, .wrongType, .notAllowedValue, .notAllowed, .wrongFormat: return false
        }
    }

    /// Records what a violation of the schema leaves unknown.
    mutating func note(_ violation: SchemaViolation, in root: YAMLNode) {
        guard let node = root.node(at: violation.instanceLocation) else { return note(root) }
        let parent = JSONPointer(violation.instanceLocation.tokens.dropLast())
        switch violation.detail {
        case .unknownName:
            guard let mapping = root.node(at: parent) else { return note(root) }
            let meant = violation.suggestion.flatMap { mapping[$0] == nil ? [$0] : nil }
            note(keysOf: mapping, meant: meant)
            note(node)
        case .missingName(let names): note(keysOf: node, meant: names)
        case .conflictingNames(let names):
            for name in names {
                guard let value = node[name] else { continue }
                note(value)
                // Removing the key may resolve other errors in its value too.
                if value.text != nil { note(value.span) }
            }
        case .wrongType, .notAllowedValue, .notAllowed, .wrongFormat, .other:
            note(node)
            if violation.concernsName, let mapping = root.node(at: parent) { note(keysOf: mapping, meant: nil) }
        }
    }
}
