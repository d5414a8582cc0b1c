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
    mutating func mapping(of nodes: ArraySlice<YAMLNode>) -> YAMLMapping {
        var entries: [YAMLMapping.Entry] = []
        entries.reserveCapacity(nodes.count / 2)
        var names: [String] = []
        names.reserveCapacity(nodes.count / 2)
        var mergesSomething = false
        var index = nodes.startIndex
        while index + 1 < nodes.endIndex {
            let key = nodes[index]
            entries.append((key, nodes[index + 1]))
            index += 2
            if case .scalar(let scalar) = key.content {
                names.append(scalar.text)
                if Self.isMergeKey(scalar) { mergesSomething = true }
            } else {
                findings.append(Diagnostic("complex-key", "a key must be a plain or quoted text", at: key.span))
            }
        }
        let mapping = YAMLMapping(entries)
        reportDuplicates(in: mapping, names)
        return mergesSomething ? merged(mapping) : mapping
    }

    // MARK: Duplicate keys

    private mutating func reportDuplicates(in mapping: YAMLMapping, _ names: [String]) {
        guard mapping.hasDuplicates(among: names) else { return }
        for (position, entry) in mapping.entries.enumerated() {
            guard let name = entry.key.scalar?.text, let first = mapping.position(of: name), first < position else {
                continue
            }
            findings.append(
                Diagnostic(
                    "duplicate-key",
                    "the key '\(name)' stands twice in the same mapping",
                    at: entry.key.span,
                    secondary: [.init(mapping.entries[first].key.span, "first given here")]
                )
            )
        }
    }

    // MARK: Merge keys

    private static func isMergeKey(_ scalar: YAMLScalar) -> Bool {
        scalar.text == "<<" && scalar.style == .plain && scalar.tag == nil
    }

    /// The mapping with the entries of its merge keys in their stead: its own keys win, then the earlier mapping.
    private mutating func merged(_ mapping: YAMLMapping) -> YAMLMapping {
        var known = Set(mapping.names.map(CodePoints.init))
        var entries: [YAMLMapping.Entry] = []
        for entry in mapping.entries {
            guard let key = entry.key.scalar, Self.isMergeKey(key) else {
                entries.append(entry)
                continue
            }
            for source in mergeSources(entry.value) {
                for inherited in source.entries {
                    guard let name = inherited.key.scalar?.text, known.insert(CodePoints(name)).inserted else {
                        continue
                    }
                    entries.append(inherited)
                }
            }
        }
        return YAMLMapping(entries)
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
