import WaybillFormats
import WaybillJSON

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
