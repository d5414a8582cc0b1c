import WaybillJSON

/// The keys that a kind of mapping can have.
protocol KnownKey: RawRepresentable<String>, CaseIterable, Equatable, Sendable {
    /// The keys in the order of `allCases`.
    static var table: NameTable { get }
    /// The keys in the same order.
    static var keys: [Self] { get }
}

/// The entries of a mapping by key, all found in one pass.
struct KnownEntries<Key: KnownKey> {
    private let entries: YAMLMapping.Entries
    /// The keys of the mapping and the positions of their entries. They are few.
    private var found: [(key: Key, position: Int)] = []

    /// Finds the entries of a node; none if it is not a mapping.
    init(_ node: YAMLNode) {
        let table = Key.table
        entries = node.mapping?.entries ?? .empty
        let keys = Key.keys
        for position in entries.indices {
            if let index = entries.key(at: position, in: table) { found.append((keys[index], position)) }
        }
    }

    /// Whether the mapping has an entry with a key.
    func has(_ key: Key) -> Bool { position(of: key) != nil }

    /// The value of a key; `nil` if the mapping does not have it.
    subscript(key: Key) -> YAMLNode? { position(of: key).map { entries.value(at: $0) } }

    /// Returns the entry of a key, for the span of the key.
    func entry(_ key: Key) -> YAMLMapping.Entry? { position(of: key).map { entries[$0] } }

    private func position(of key: Key) -> Int? { found.first { $0.key == key }?.position }
}

/// The keys of a step that are not settings.
enum StepKey: String, KnownKey {
    case call, request, get, head, post, put, patch, delete, graph, chain, batch, values, end
    case with, id, name, description, when, delay, deadline, forEach, until, paginate, write, needs, onFailure
    case service, method, path, url, mock, vars, outputs, returns, download

    static let keys = allCases
    static let table = NameTable(allCases.map(\.rawValue))

    /// The form of the step that the key determines; `nil` for a key that several forms can have.
    var form: StepForm? { StepForm(rawValue: rawValue) }

    /// The keys that determine the form of a step.
    static let forms = allCases.filter { $0.form != nil }
}
