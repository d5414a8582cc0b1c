import WaybillJSON

/// What the request for a page has of its own.
enum PageRequest: Sendable, Equatable {
    /// Nothing: the first page, where the answers say how it goes on.
    case plain
    /// The whole URL.
    case url(String)
    /// The value of an input of the endpoint.
    case input(String, JSON)
    /// The value of a query parameter.
    case query(String, JSON)

    /// The URL, number, offset or cursor.
    var value: JSON? {
        switch self {
        case .plain: nil
        case .url(let url): .string(url)
        case .input(_, let value), .query(_, let value): value
        }
    }

    /// The input that has a value of its own.
    var input: (name: String, value: JSON)? {
        if case .input(let name, let value) = self { (name, value) } else { nil }
    }
}
