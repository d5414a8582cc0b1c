import WaybillFormats
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

/// The query of a URL, changed in one parameter.
enum PageQuery {
    /// The URL with one parameter of this name, in the place of all that it had.
    static func setting(_ name: String, to value: JSON, in url: String) -> String {
        let text = value.string ?? JSONWriter().string(value)
        let pair = "\(PercentEncoding.component(name))=\(PercentEncoding.component(text))"
        var reference = URIReference(url)
        let others = (reference.query ?? "").split(separator: "&").filter { !isPair($0, named: name) }
        reference.query = (others + [Substring(pair)]).joined(separator: "&")
        return reference.description
    }

    private static func isPair(_ pair: Substring, named name: String) -> Bool {
        let written = String(pair.prefix { $0 != "=" }).replacing("+", with: " ")
        return PercentEncoding.decoded(written)?.hasSameCodePoints(as: name) ?? false
    }
}
