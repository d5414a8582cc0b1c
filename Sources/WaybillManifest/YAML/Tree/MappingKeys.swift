import WaybillData
import WaybillDiagnostics

/// Makes a mapping from its keys and values: checks the keys and lays merge keys (`<<`) under them.
struct MappingKeys {
    let file: SourceFile
    private(set) var findings: [Diagnostic] = []

    init(file: SourceFile) {
        self.file = file
    }

    /// The mapping of keys and values that stand in turn.
    mutating func mapping(of nodes: consuming [YAMLNode]) -> YAMLMapping {
        let mapping = YAMLMapping(keysAndValues: nodes)
        var mergesSomething = false
        for (key, _) in mapping.entries {
            if let name = key.text {
                if name == "<<", Self.isMergeKey(key) { mergesSomething = true }
            } else {
                findings.append(Diagnostic("complex-key", "a key must be a plain or quoted text", at: key.span))
            }
        }
        if mapping.hasDuplicates { reportDuplicates(in: mapping) }
        return mergesSomething ? merged(mapping) : mapping
    }

    // MARK: Duplicate keys

    private mutating func reportDuplicates(in mapping: YAMLMapping) {
        for (position, entry) in mapping.entries.enumerated() {
            guard let name = entry.key.text, let first = mapping.position(of: name), first < position else {
                continue
            }
            findings.append(
                Diagnostic(
                    "duplicate-key",
                    "the key '\(name.shortened)' stands twice in the same mapping",
                    at: entry.key.span,
                    secondary: [.init(mapping.entries[first].key.span, "first given here")]
                )
            )
        }
    }

    // MARK: Merge keys

    private static func isMergeKey(_ key: YAMLNode) -> Bool {
        guard let scalar = key.scalar else { return false }
        return scalar.text == "<<" && scalar.style == .plain && scalar.tag == nil
    }

    /// The mapping with the entries of its merge keys in their stead: its own keys win, then the earlier mapping.
    private mutating func merged(_ mapping: YAMLMapping) -> YAMLMapping {
        var known = Set(mapping.names.map(CodePoints.init))
        var nodes: [YAMLNode] = []
        for (key, value) in mapping.entries {
            guard Self.isMergeKey(key) else {
                nodes += [key, value]
                continue
            }
            for source in mergeSources(value) {
                for (key, value) in source.entries {
                    guard let name = key.text, known.insert(CodePoints(name)).inserted else { continue }
                    nodes += [key, value]
                }
            }
        }
        return YAMLMapping(keysAndValues: nodes)
    }

    /// The mappings that a merge key takes in.
    private mutating func mergeSources(_ value: YAMLNode) -> [YAMLMapping] {
        switch value.content {
        case .mapping(let mapping):
            return [mapping]
        case .sequence(let elements):
            return elements.compactMap { element in
                if let mapping = element.mapping { return mapping }
                refuse(element)
                return nil
            }
        case .scalar:
            refuse(value)
            return []
        }
    }

    private mutating func refuse(_ value: YAMLNode) {
        // An alias that leads nowhere has been reported already.
        let start = value.span.range.lowerBound
        if start < file.bytes.count, file.bytes[start] == UInt8(ascii: "*") { return }
        findings.append(
            Diagnostic(
                "invalid-merge",
                "'<<' takes in a mapping or a list of mappings, nothing else",
                at: value.span,
                help: ["Quote the key to give it no special meaning: '<<'."]
            )
        )
    }
}
