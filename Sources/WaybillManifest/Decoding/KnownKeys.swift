/// The entries of a step or a request.
struct StepEntries {
    private let mapping: YAMLMapping?

    /// Creates the entries of a node; none if it is not a mapping.
    init(_ node: YAMLNode) { mapping = node.mapping }

    /// The value of a key; `nil` if the mapping does not have it.
    subscript(key: StepKey) -> YAMLNode? { mapping?[key.rawValue] }

    /// Whether the mapping has an entry with a key.
    func has(_ key: StepKey) -> Bool { self[key] != nil }

    /// Returns the entry of a key, for the span of the key.
    func entry(_ key: StepKey) -> YAMLMapping.Entry? { mapping?.entry(named: key.rawValue) }
}

/// The keys of a step that are not settings.
enum StepKey: String, CaseIterable {
    case call, request, get, head, post, put, patch, delete, graph, chain, batch, values, end
    case with, id, name, description, when, delay, deadline, forEach, until, paginate, write, needs, onFailure
    case service, method, path, url, mock, vars, outputs, returns, download

    /// The form of the step that the key determines; `nil` for a key that several forms can have.
    var form: StepForm? { StepForm(rawValue: rawValue) }
}
