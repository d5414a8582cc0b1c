import WaybillDiagnostics

/// A line of text for people. What is inserted into it may come from a manifest: it cannot end the line or control the
/// terminal, unless it is a line itself, such as a piece in a style.
struct PlanLine: ExpressibleByStringInterpolation {
    /// The text, with the escape sequences of styles.
    let text: String

    init(stringLiteral text: String) {
        self.text = text
    }

    init(stringInterpolation parts: StringInterpolation) {
        text = parts.text
    }

    /// Creates a line of a text in a style.
    init(_ text: String, in style: TerminalStyle?) {
        let text = PrintableText.oneLine(text)
        self.text = style?.applied(to: text) ?? text
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ line: PlanLine) { text += line.text }

        mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += PrintableText.oneLine(value.description)
        }
    }
}

/// The styles of text for people.
struct TextPaint: Sendable {
    /// Whether the text has colours.
    let colour: Bool

    func strong(_ text: String) -> PlanLine { PlanLine(text, in: colour ? .strong : nil) }
    func faint(_ text: String) -> PlanLine { PlanLine(text, in: colour ? .faint : nil) }
}
