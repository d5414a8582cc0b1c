import WaybillDiagnostics

/// HTML markup. Strings that are interpolated into it are escaped; markup is not.
struct HTML: ExpressibleByStringInterpolation {
    /// The markup.
    var markup: String

    init(stringLiteral literal: StaticString) {
        markup = literal.description
    }

    init(stringInterpolation interpolation: Interpolation) {
        markup = interpolation.markup
    }

    private init(markup: String) {
        self.markup = markup
    }

    /// Concatenates markup.
    static func joined(_ parts: [HTML]) -> HTML { HTML(markup: parts.map(\.markup).joined()) }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            markup.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: StaticString) { markup += literal.description }

        /// Appends text, which may come from a server.
        mutating func appendInterpolation(_ text: String) {
            markup += XMLText.content(PrintableText.lines(text)).replacing("'", with: "&#39;")
        }

        /// Appends markup.
        mutating func appendInterpolation(_ html: HTML) { markup += html.markup }

        /// Appends markup, if there is any.
        mutating func appendInterpolation(_ html: HTML?) { markup += html?.markup ?? "" }

        mutating func appendInterpolation(_ number: Int) { markup += String(number) }
    }
}
