import WaybillFormats
import WaybillJSON

/// How the request for a page differs from the plain request of the step.
enum PageRequest: Sendable, Equatable {
    /// It does not differ: the first page, if the responses determine the next one.
    case plain
    /// It has another URL.
    case url(String)
    /// It sets an input of the endpoint.
    case input(String, JSON)
    /// It sets a query parameter.
    case query(String, JSON)

    /// The URL, page number, offset or cursor.
    var value: JSON? {
        switch self {
        case .plain: nil
        case .url(let url): .string(url)
        case .input(_, let value), .query(_, let value): value
        }
    }

    /// The input that the page sets.
    var input: (name: String, value: JSON)? {
        if case .input(let name, let value) = self { (name, value) } else { nil }
    }
}

/// Changes one parameter in the query of a URL.
enum PageQuery {
    /// Returns the URL with one parameter of this name, instead of all that it had.
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
