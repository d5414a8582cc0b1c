import WaybillData

/// The keys that a sort of mapping may have, which are found by their position in a table.
protocol KnownKey: RawRepresentable<String>, CaseIterable, Sendable {
    /// The keys by the positions of their cases.
    static var table: NameTable { get }
    /// Which of the cases it is, from 0.
    var position: Int { get }
}

/// The entries of a mapping by their keys, all found in one pass.
struct KnownEntries<Key: KnownKey> {
    private let entries: YAMLMapping.Entries
    /// By the key, where its entry stands; -1 where it has none.
    private var positions: [Int]

    /// The entries of a node; none where it is no mapping.
    init(_ node: YAMLNode) {
        let table = Key.table
        entries = node.mapping?.entries ?? .empty
        positions = Array(repeating: -1, count: table.names.count)
        for position in entries.indices {
            if let index = entries.key(at: position, in: table) { positions[index] = position }
        }
    }

    /// Whether there is an entry of a key.
    func has(_ key: Key) -> Bool { positions[key.position] >= 0 }

    /// The value of a key.
    subscript(key: Key) -> YAMLNode? { has(key) ? entries.value(at: positions[key.position]) : nil }

    /// The entry of a key, for the key's place.
    func entry(_ key: Key) -> YAMLMapping.Entry? { has(key) ? entries[positions[key.position]] : nil }
}

/// The keys of a step that are no settings.
enum StepKey: String, KnownKey {
    case call, request, get, head, post, put, patch, delete, graph, chain, batch, values, end
    case with, id, name, description, when, delay, deadline, forEach, until, paginate, write, needs, onFailure
    case service, method, path, url, mock, vars, outputs, returns, download

    static let table = NameTable(allCases.map(\.rawValue))

    /// An enum without payloads is laid out as just that number.
    var position: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

    /// What the key says that the step does, if it is one of those that do.
    var form: StepForm? { position <= StepKey.end.position ? StepForm.allCases[position] : nil }

    /// The keys that say what a step does.
    static let forms = allCases.prefix { $0.position <= StepKey.end.position }
}
