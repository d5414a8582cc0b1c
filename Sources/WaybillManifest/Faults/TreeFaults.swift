import WaybillDiagnostics
import WaybillJSON

/// Which values of a tree are not what their author meant, because of mistakes in the text.
///
/// Nothing follows from what such a value says or leaves out: where it stands there is something, whose content is not
/// known. The decoder asks here, and nobody else has to know of nodes.
struct TreeFaults: Sendable {
    /// Which keys of a mapping are meant to be there and are not, because they are misspelt, missing or given twice.
    private enum Doubt {
        case names(Set<String>)
        case any
    }

    private let root: YAMLNode
    /// Values of which nothing is known.
    private var unknown: Set<ValueTree.Index> = []
    private var doubts: [ValueTree.Index: Doubt] = [:]
    /// By their indices, the values with a fault in them. Empty until `settle` is called.
    private var touched: [Bool] = []
    /// The places that findings of these faults point at: what else is found there comes of the same mistake.
    private(set) var spans = SourceSpanSet()

    /// Whether nothing is wrong.
    var isEmpty: Bool { unknown.isEmpty && doubts.isEmpty }

    /// No faults of a document.
    init(of root: YAMLNode) {
        self.root = root
    }

    // MARK: Noting faults

    /// Notes that nothing is known of a value.
    mutating func note(_ value: YAMLNode) {
        unknown.insert(value.index)
    }

    /// Notes that a mapping lacks one of some keys; `nil`: any of those that it has not.
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

    /// Notes a place that a finding points at.
    mutating func note(_ span: SourceSpan) {
        spans.insert(span)
    }

    /// Notes what errors that are known by their places alone leave unknown. Warnings leave nothing unknown.
    mutating func note(_ findings: [Diagnostic]) {
        for finding in findings where finding.severity == .error {
            for label in [finding.primary].compactMap({ $0 }) + finding.secondary
            where label.span.file == root.span.file {
                note(label.span)
                // What is given twice is well formed both times.
                note(at: label.span.range, isMeaningless: finding.id != "duplicate-key")
            }
        }
    }

    /// - Parameter isMeaningless: Whether the value of a key at fault means nothing.
    private mutating func note(at range: Range<Int>, isMeaningless: Bool) {
        var node = root
        while true {
            if range.covers(node.span.range) || range.upperBound <= node.span.range.lowerBound {
                note(node)
                return note(node.span)
            }
            switch Part(of: node, at: range) {
            case .inside(let part): node = part
            case .key(of: let value):
                // Of two entries with one key, and of one whose key is wrong, it is not known which was meant to be what.
                note(keysOf: node, meant: nil)
                note(value)
                if isMeaningless { note(value.span) }
                return
            case nil:
                // A mapping may have entries that merge keys brought in, and so be looked through in vain.
                let hasOwnOnly = node.mapping != nil && node.tree.properties.isEmpty
                return hasOwnOnly ? note(keysOf: node, meant: nil) : note(node)
            }
        }
    }

    /// Finds out which values have faults in them. To be called when all are noted, before anything is asked.
    mutating func settle() {
        let values = root.tree.values
        var touched = Array(repeating: false, count: values.valueCount)
        for index in unknown { touched[Int(index)] = true }
        for index in doubts.keys { touched[Int(index)] = true }
        // The parts of a value stand before it.
        for index in touched.indices where !touched[index] {
            let value = ValueTree.Index(index)
            switch values.kind(of: value) {
            case .array:
                for position in 0..<values.elementCount(of: value)
                where touched[Int(values.element(at: position, of: value))] {
                    touched[index] = true
                }
            case .object:
                for position in 0..<values.memberCount(of: value)
                where touched[Int(values.value(at: position, of: value))] {
                    touched[index] = true
                }
            default: continue
            }
        }
        self.touched = touched
    }

    // MARK: Asking

    /// Whether nothing is known of a value as a whole.
    func isUnknown(_ node: YAMLNode) -> Bool { unknown.contains(node.index) }

    /// Whether something of a value is not known.
    func touches(_ node: YAMLNode) -> Bool { touched[Int(node.index)] }

    /// Whether keys of a mapping may be other ones than those that it has.
    func doubtsKeys(of node: YAMLNode) -> Bool { isUnknown(node) || doubts[node.index] != nil }

    /// Whether a mapping that does not have a key may have been meant to.
    func doubts(_ key: String, in node: YAMLNode) -> Bool {
        switch doubts[node.index] {
        case .any: node[key] == nil
        case .names(let names): names.contains(key)
        case nil: isUnknown(node)
        }
    }

    /// Whether a finding comes of one of the faults, since it points at the same place.
    func explain(_ finding: Diagnostic) -> Bool {
        finding.primary.map { spans.overlaps($0.span) } ?? false
    }
}

/// The part of a sequence or mapping that a place is in. Parts stand in the order of the text, save for those that aliases
/// and merge keys brought in, which are not looked for.
private enum Part {
    case inside(YAMLNode)
    /// The key of a value.
    case key(of: YAMLNode)

    init?(of node: YAMLNode, at range: Range<Int>) {
        let (values, own) = (node.tree.values, node.span.range)
        switch node.kind {
        case .array:
            // A tag stands before its value.
            let position = Self.firstPosition(below: values.elementCount(of: node.index)) {
                range.lowerBound <= Self.range(values.element(at: $0, of: node.index), in: node).upperBound
            }
            guard position < values.elementCount(of: node.index) else { return nil }
            let element = YAMLNode(tree: node.tree, index: values.element(at: position, of: node.index))
            guard own.covers(element.span.range) else { return nil }
            self = .inside(element)
        case .object:
            let behind = Self.firstPosition(below: values.memberCount(of: node.index)) {
                Self.range(values.name(at: $0, of: node.index), in: node).lowerBound > range.lowerBound
            }
            guard behind > 0, let (key, value) = node.mapping?.entries[behind - 1], own.covers(key.span.range) else {
                return nil
            }
            if range.lowerBound < key.span.range.upperBound {
                self = .key(of: value)
            } else if own.covers(value.span.range), range.lowerBound <= value.span.range.upperBound {
                self = .inside(value)
            } else {
                return nil
            }
        default: return nil
        }
    }

    private static func range(_ value: ValueTree.Index, in node: YAMLNode) -> Range<Int> {
        let mark = node.tree.marks[Int(value)]
        return Int(mark.lower)..<Int(mark.upper)
    }

    /// The first position from which on something holds.
    private static func firstPosition(below count: Int, where holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Range<Int> {
    fileprivate func covers(_ other: Range<Int>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}
