package import WaybillDiagnostics
package import WaybillJSON

extension SchemaViolation {
    /// The locations in the instance that `diagnostic(in:of:)` points to.
    package var pointers: [JSONPointer] {
        guard case .conflictingNames(let names) = detail else { return [instanceLocation] }
        return [instanceLocation] + names.map { instanceLocation.appending(.name($0)) }
    }

    /// Returns the violation as a diagnostic in the text of the instance.
    ///
    /// - Parameters:
    ///   - locations: The locations of the instance's values; at least those of `pointers`.
    ///   - whole: The name of the whole instance: `the manifest`.
    package func diagnostic(in locations: some DocumentLocations, of whole: String) -> Diagnostic {
        let isWhole = instanceLocation.tokens.isEmpty
        let value = locations.span(at: instanceLocation) ?? locations.span
        let key = locations.keySpan(at: instanceLocation) ?? value
        let sentence = concernsName ? message : "\(isWhole ? whole : subject) \(message)"
        let label = suggestion.map { "did you mean '\($0)'?" } ?? ""
        switch detail {
        case .unknownName(let unknown, let known):
            let list = known.sorted().joined(separator: ", ")
            var diagnostic = Diagnostic(
                "unknown-key",
                "unknown key '\(unknown)'",
                at: key,
                label: label,
                help: suggestion == nil && !known.isEmpty && known.count <= 24 ? ["The allowed keys are \(list)."] : []
            )
            diagnostic.validNames = known
            return diagnostic
        case .missingName:
            return Diagnostic("missing-key", sentence, at: isWhole ? value : key)
        case .conflictingNames(let names):
            let keys = names.compactMap { locations.keySpan(at: instanceLocation.appending(.name($0))) }
                .sorted { $0.range.lowerBound < $1.range.lowerBound }
            return Diagnostic(
                "conflicting-keys",
                sentence,
                at: keys.last ?? key,
                secondary: keys.dropLast().map { .init($0, "conflicts with this") }
            )
        case .wrongType:
            return Diagnostic("wrong-type", sentence, at: value, label: label)
        case .notAllowedValue, .notAllowed, .wrongFormat, .other:
            return Diagnostic("invalid-value", sentence, at: concernsName ? key : value, label: label)
        }
    }

    /// The subject of the message: the name of the member, or the list that contains the entry.
    private var subject: String {
        switch instanceLocation.tokens.last {
        case .name(let name): return "'\(name)'"
        case .index, nil:
            guard case .name(let list) = instanceLocation.tokens.dropLast().last else { return "the value" }
            return "this entry of '\(list)'"
        }
    }
}
