package import WaybillDiagnostics

extension SchemaViolation {
    /// The places in the instance that `diagnostic(in:of:)` points to.
    package var pointers: [JSONPointer] {
        guard case .conflictingNames(let names) = detail else { return [instanceLocation] }
        return [instanceLocation] + names.map { instanceLocation.appending(.name($0)) }
    }

    /// The violation as a finding in the text of the instance.
    ///
    /// - Parameters:
    ///   - places: Where the values of the instance stand; at least those of `pointers`.
    ///   - whole: What the whole instance is called: `the manifest`.
    package func diagnostic(in places: some DocumentPlaces, of whole: String) -> Diagnostic {
        let isWhole = instanceLocation.tokens.isEmpty
        let value = places.span(at: instanceLocation) ?? places.span
        let key = places.keySpan(at: instanceLocation) ?? value
        let predicate = "\(quotedName ?? (isWhole ? whole : "the value")) \(message)"
        switch detail {
        case .unknownName(let unknown, let known):
            let nearest = NearestName.of(unknown, among: known)
            let list = known.sorted().joined(separator: ", ")
            return Diagnostic(
                "unknown-key",
                "'\(unknown)' is not a key that may stand here",
                at: key,
                label: nearest.map { "did you mean '\($0)'?" } ?? "",
                help: nearest == nil && !known.isEmpty && known.count <= 20 ? ["The keys are \(list)."] : []
            )
        case .missingName:
            return Diagnostic("missing-key", predicate, at: isWhole ? value : key)
        case .conflictingNames(let names):
            let keys = names.compactMap { places.keySpan(at: instanceLocation.appending(.name($0))) }
            return Diagnostic(
                "conflicting-keys",
                predicate,
                at: keys.last ?? key,
                secondary: keys.dropLast().map { .init($0, "and this one") }
            )
        case .wrongType:
            return Diagnostic("wrong-type", predicate, at: value)
        case .notAllowedValue, .notAllowed, .wrongFormat, .other:
            return Diagnostic("invalid-value", predicate, at: concernsName ? key : value)
        }
    }

    /// The name of the member at fault, in quotes; `nil` where it has none.
    package var quotedName: String? {
        guard case .name(let name) = instanceLocation.tokens.last else { return nil }
        return "'\(name)'"
    }
}
