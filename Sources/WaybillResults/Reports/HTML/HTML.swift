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
        mutating func appendInterpolation(_ text: String) { HTML.write(text, to: &markup) }

        /// Appends markup.
        mutating func appendInterpolation(_ html: HTML) { markup += html.markup }

        /// Appends markup, if there is any.
        mutating func appendInterpolation(_ html: HTML?) { markup += html?.markup ?? "" }

        mutating func appendInterpolation(_ number: Int) { markup += String(number) }
    }

    /// Appends escaped text. Characters that would change how it is displayed become U+FFFD, except line breaks.
    private static func write(_ text: String, to markup: inout String) {
        // Splits bytes, because CR LF is a single character of a string.
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            if index > 0 { markup += "\n" }
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            for scalar in PrintableText.oneLine(String(Substring(line))).unicodeScalars {
                switch scalar {
                case "&": markup += "&amp;"
                case "<": markup += "&lt;"
                case ">": markup += "&gt;"
                case "\"": markup += "&quot;"
                case "'": markup += "&#39;"
                default: markup.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
