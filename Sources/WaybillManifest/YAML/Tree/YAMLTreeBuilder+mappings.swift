import WaybillDiagnostics
import WaybillJSON

/// Builds a mapping from its keys and values: checks the keys and resolves merge keys (`<<`).
extension YAMLTreeBuilder {
    /// Adds the mapping of alternating keys and values.
    mutating func addMapping(_ keysAndValues: ArraySlice<ValueTree.Index>, at range: Range<Int>) -> ValueTree.Index {
        let mapping = values.addObject(keysAndValues)
        mark(range)
        var mergesSomething = false
        for position in 0..<values.memberCount(of: mapping) {
            let key = values.name(at: position, of: mapping)
            if !values.isScalar(key) {
                diagnostics.report("complex-key", "a key must be a plain or quoted string", at: span(of: key))
            } else if isMergeKey(key) {
                mergesSomething = true
            }
        }
        reportDuplicates(in: mapping)
        guard mergesSomething else { return mapping }
        let merged = values.addObject(merged(mapping)[...])
        mark(range)
        return merged
    }

    // MARK: Duplicate keys

    private mutating func reportDuplicates(in mapping: ValueTree.Index) {
        for (first, position) in values.duplicateNames(in: mapping) {
            let (key, other) = (values.name(at: position, of: mapping), values.name(at: first, of: mapping))
            diagnostics.report(
                "duplicate-key",
                "the key '\(values.text(of: key).shortened)' occurs twice in the same mapping",
                at: span(of: key),
                secondary: [.init(span(of: other), "first given here")]
            )
        }
    }

    // MARK: Merge keys

    private func isMergeKey(_ key: ValueTree.Index) -> Bool {
        let mark = marks[Int(key)]
        return mark.style == .plain && mark.tag == nil && values.text(of: key) == "<<"
    }

    /// Returns the keys and values with merge keys replaced by the entries they merge. The mapping's own keys take
    /// precedence, then those of earlier mappings.
    private mutating func merged(_ mapping: ValueTree.Index) -> [ValueTree.Index] {
        let entries = entries(of: mapping)
        var known = Set(entries.filter { values.isScalar($0.key) }.map { CodePoints(values.text(of: $0.key)) })
        var merged: [ValueTree.Index] = []
        for (key, value) in entries {
            guard values.isScalar(key), isMergeKey(key) else {
                merged += [key, value]
                continue
            }
            for source in mergeSources(value) {
                for (key, value) in self.entries(of: source) where values.isScalar(key) {
                    if known.insert(CodePoints(values.text(of: key))).inserted { merged += [key, value] }
                }
            }
        }
        return merged
    }

    private func entries(of mapping: ValueTree.Index) -> [(key: ValueTree.Index, value: ValueTree.Index)] {
        (0..<values.memberCount(of: mapping)).map { position in
            (values.name(at: position, of: mapping), values.value(at: position, of: mapping))
        }
    }

    /// Returns the mappings that a merge key merges.
    private mutating func mergeSources(_ value: ValueTree.Index) -> [ValueTree.Index] {
        switch values.kind(of: value) {
        case .object:
            return [value]
        case .array:
            let elements = (0..<values.elementCount(of: value)).map { values.element(at: $0, of: value) }
            for element in elements where values.kind(of: element) != .object { refuse(element) }
            return elements.filter { values.kind(of: $0) == .object }
        default:
            refuse(value)
            return []
        }
    }

    private mutating func refuse(_ value: ValueTree.Index) {
        // An unknown alias has already been reported.
        let start = span(of: value).range.lowerBound
        if start < file.bytes.count, file.bytes[start] == UInt8(ascii: "*") { return }
        diagnostics.report(
            "invalid-merge",
            "'<<' requires a mapping or a list of mappings",
            at: span(of: value),
            help: ["Quote the key to give it no special meaning: '<<'."]
        )
    }
}
