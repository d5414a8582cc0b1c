import WaybillDiagnostics
import WaybillJSON
import WaybillSchema

/// The values of a tree that are not what their author intended, because of errors in the source.
///
/// Nothing can be concluded from the content of such a value, or from what is missing in it: a value exists there, but
/// its content is unknown. The decoder queries this type, so that no other part depends on nodes.
struct TreeErrors: Sendable {
    /// The keys of a mapping that were intended but do not exist, because they are misspelled, missing or duplicated.
    private enum Doubt {
        case names(Set<String>)
        case any
    }

    private let root: YAMLNode
    /// Values whose content is unknown.
    private var unknown: Set<ValueTree.Index> = []
    private var doubts: [ValueTree.Index: Doubt] = [:]
    /// The parts of the sequences and mappings that were searched.
    private var parts: [ValueTree.Index: OwnParts] = [:]
    /// Whether the value at each index contains an error. Empty until `settle` is called.
    private var touched: [Bool] = []
    /// The locations of the diagnostics of these errors: any other diagnostic there has the same cause.
    private(set) var spans = SourceSpanSet()

    /// Whether there are no errors.
    var isEmpty: Bool { unknown.isEmpty && doubts.isEmpty }

    /// Creates an empty set of errors of a document.
    init(of root: YAMLNode) {
        self.root = root
    }

    // MARK: Recording errors

    /// Records that the content of a value is unknown.
    mutating func note(_ value: YAMLNode) {
        unknown.insert(value.index)
    }

    /// Records that one of some keys is missing in a mapping; `nil` for any key that it does not have.
    mutating func note(keysOf mapping: YAMLNode, meant names: [String]?) {
        guard let names else {
            doubts[mapping.index] = .any
            return
        }
        switch doubts[mapping.index] {
        case .any: break
        case .names(let others): doubts[mapping.index] = .names(others.union(names))
        case nil: doubts[mapping.index] = .names(Set(names))
        }
    }

    /// Records the location of a diagnostic.
    mutating func note(_ span: SourceSpan) {
        spans.insert(span)
    }

    /// Records what errors leave unknown, based only on their locations. Warnings leave nothing unknown.
    mutating func note(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics where diagnostic.severity == .error {
            for label in [diagnostic.primary].compactMap({ $0 }) + diagnostic.secondary
            where label.span.file == root.span.file {
                note(label.span)
                // The values of a duplicate key are well formed.
                note(at: label.span.range, isMeaningless: diagnostic.id != "duplicate-key")
            }
        }
    }

    /// - Parameter isMeaningless: Whether the value of a key with an error has no meaning.
    private mutating func note(at range: Range<Int>, isMeaningless: Bool) {
        var node = root
        while true {
            if range.covers(node.span.range) || range.upperBound <= node.span.range.lowerBound {
                note(node)
                return note(node.span)
            }
            let own = parts[node.index] ?? OwnParts(of: node)
            parts[node.index] = own
            switch own.part(at: range) {
            case .inside(let part): node = part
            case .key(of: let value):
                // For a duplicate or invalid key, it is unknown which key each entry was meant to have.
                note(keysOf: node, meant: nil)
                note(value)
                if isMeaningless { note(value.span) }
                return
            case nil:
                // A mapping can have entries from merge keys, in which the search finds nothing.
                let hasOwnOnly = node.mapping != nil && node.tree.properties.isEmpty
                return hasOwnOnly ? note(keysOf: node, meant: nil) : note(node)
            }
        }
    }

    /// Determines which values contain errors. Call it after all errors are recorded and before the first query.
    mutating func settle() {
        let values = root.tree.values
        var touched = Array(repeating: false, count: values.valueCount)
        for index in unknown { touched[Int(index)] = true }
        for index in doubts.keys { touched[Int(index)] = true }
        // The parts of a value precede it.
        for index in touched.indices where !touched[index] {
            let value = ValueTree.Index(index)
            switch values.kind(of: value) {
            case .array:
                touched[index] = (0..<values.elementCount(of: value))
                    .contains { touched[Int(values.element(at: $0, of: value))] }
            case .object:
                touched[index] = (0..<values.memberCount(of: value))
                    .contains { touched[Int(values.value(at: $0, of: value))] }
            default: continue
            }
        }
        self.touched = touched
    }

    // MARK: Queries

    /// Whether the whole content of a value is unknown.
    func isUnknown(_ node: YAMLNode) -> Bool { unknown.contains(node.index) }

    /// Whether any part of a value is unknown.
    func touches(_ node: YAMLNode) -> Bool { touched[Int(node.index)] }

    /// Whether the intended keys of a mapping may differ from its actual keys.
    func doubtsKeys(of node: YAMLNode) -> Bool { isUnknown(node) || doubts[node.index] != nil }

    /// Whether a key that a mapping does not have may have been intended.
    func doubts(_ key: String, in node: YAMLNode) -> Bool {
        switch doubts[node.index] {
        case .any: node[key] == nil
        case .names(let names): names.contains(key)
        case nil: isUnknown(node)
        }
    }

    /// Whether a diagnostic is the consequence of one of the errors, because it has the same location.
    func explain(_ diagnostic: Diagnostic) -> Bool {
        diagnostic.primary.map { spans.overlaps($0.span) } ?? false
    }
}

/// The part of a sequence or mapping that contains a location.
private enum Part {
    case inside(YAMLNode)
    /// The key of a value.
    case key(of: YAMLNode)
}

/// The parts of a sequence or mapping in source order, without those from aliases and merge keys, which are elsewhere. Each
/// of thousands of errors may be in the same one.
private struct OwnParts {
    private let own: Range<Int>
    private let keys: [YAMLNode]
    private let values: [YAMLNode]

    init(of node: YAMLNode) {
        let own = node.span.range
        func ordered(_ parts: [YAMLMapping.Entry]) -> [YAMLMapping.Entry] {
            parts.filter { own.covers($0.key.span.range) }
                .sorted { $0.key.span.range.lowerBound < $1.key.span.range.lowerBound }
        }
        let entries = ordered(node.entries)
        keys = entries.map(\.key)
        values = entries.map(\.value) + ordered((node.sequence ?? []).map { ($0, $0) }).map(\.value)
        self.own = own
    }

    func part(at range: Range<Int>) -> Part? {
        let start = range.lowerBound
        guard !keys.isEmpty else {
            // A tag precedes its value.
            let index = values.firstIndex(ofSorted: { start <= $0.span.range.upperBound })
            return index < values.count ? .inside(values[index]) : nil
        }
        let index = keys.firstIndex(ofSorted: { start < $0.span.range.lowerBound }) - 1
        guard index >= 0 else { return nil }
        let value = values[index]
        if start < keys[index].span.range.upperBound { return .key(of: value) }
        return own.covers(value.span.range) && start <= value.span.range.upperBound ? .inside(value) : nil
    }
}

extension [YAMLNode] {
    /// Returns the index of the first node for which a condition holds that also holds for all later ones; the number of
    /// nodes if it holds for none.
    fileprivate func firstIndex(ofSorted holds: (YAMLNode) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Range<Int> {
    fileprivate func covers(_ other: Range<Int>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}

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
