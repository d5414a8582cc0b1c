import WaybillData

/// The keys that a sort of mapping may have, which are found by their position in a table.
protocol KnownKey: RawRepresentable<Int>, CaseIterable, Sendable {
    /// The keys by the positions of their cases.
    static var table: NameTable { get }
}

/// The entries of a mapping by their keys, all found in one pass.
struct KnownEntries<Key: KnownKey> {
    private var entries: [YAMLMapping.Entry?]

    /// The entries of a node; none where it is no mapping.
    init(_ node: YAMLNode) {
        entries = Array(repeating: nil, count: Key.allCases.count)
        for entry in node.mapping?.entries ?? .empty {
            if let index = entry.key.index(in: Key.table) { entries[index] = entry }
        }
    }

    /// The value of a key.
    subscript(key: Key) -> YAMLNode? { entries[key.rawValue]?.value }

    /// The entry of a key, for the key's place.
    func entry(_ key: Key) -> YAMLMapping.Entry? { entries[key.rawValue] }
}

/// The keys of a step that are no settings.
enum StepKey: Int, KnownKey {
    case call, request, get, head, post, put, patch, delete, graph, chain, batch, values, end
    case with, id, name, description, when, delay, deadline, forEach, until, paginate, write, needs, onFailure
    case service, method, path, url, mock, vars, outputs, returns, download

    static let table = NameTable(allCases.map { String(describing: $0) })

    /// What the key says that the step does, if it is one of those that do.
    var form: StepForm? { rawValue <= StepKey.end.rawValue ? StepForm.allCases[rawValue] : nil }

    /// The keys that say what a step does.
    static let forms = allCases.prefix { $0.rawValue <= StepKey.end.rawValue }
}
