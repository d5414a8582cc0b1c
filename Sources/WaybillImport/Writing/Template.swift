/// A template of the manifest language as it is written: `/orders/${inputs.id}`.
///
/// It consists of constants, in which `${` is escaped, and of expressions of the writer: a string of a source is never
/// evaluated. It is changed byte by byte, as it is read: `{` may be the start of a longer character.
package struct Template: Sendable, Equatable, ExpressibleByStringLiteral {
    /// The text in the manifest.
    private(set) var written: String

    /// Creates a template of a string that means itself.
    init(constant text: String) { written = text.mappingReferences { $0 + [dollar] } }

    package init(stringLiteral value: String) { self.init(constant: value) }

    /// Creates a template of the value of an expression.
    init(expression code: String) { written = "${\(code)}" }

    private init(written: String) { self.written = written }

    /// Appends a template. A `$` before `{` or `${` would be read with it, and becomes an expression.
    static func += (first: inout Template, second: Template) {
        let dollars = first.written.utf8.reversed().prefix { $0 == dollar }.count
        if dollars > 0, ["{", "${"].contains(where: { second.written.utf8.starts(with: $0.utf8) }) {
            let kept = String(decoding: first.written.utf8.dropLast(dollars), as: UTF8.self)
            first.written = "\(kept)${'\(String(repeating: "$", count: dollars))'}"
        }
        first.written += second.written
    }

    static func + (first: Template, second: Template) -> Template {
        var result = first
        result += second
        return result
    }

    package static func == (first: Template, second: Template) -> Bool {
        first.written.utf8.elementsEqual(second.written.utf8)
    }

    /// The parts between slashes.
    var segments: [Template] {
        written.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { Template(written: String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns the template with its text changed, which must stay a template.
    func map(_ change: (String) -> String) -> Template { Template(written: change(written)) }
}

extension [Template] {
    /// The templates as one.
    func joined(separator: Template = "") -> Template {
        dropFirst().reduce(into: first ?? "") { result, next in
            result += separator
            result += next
        }
    }
}

private let dollar = UInt8(ascii: "$")

extension String {
    /// The string with `{` for each `${`, which a constant of a manifest cannot have.
    var withoutReferences: String { mappingReferences { _ in [] } }

    /// Whether the string has `${`.
    var hasReference: Bool { utf8.contains(UInt8(ascii: "{")) && !withoutReferences.utf8.elementsEqual(utf8) }

    /// Returns the string with the dollar signs before each `{` changed, if there are any.
    fileprivate func mappingReferences(_ change: ([UInt8]) -> [UInt8]) -> String {
        var result: [UInt8] = []
        var dollars: [UInt8] = []
        for byte in utf8 {
            if byte == dollar {
                dollars.append(byte)
                continue
            }
            result += byte == UInt8(ascii: "{") && !dollars.isEmpty ? change(dollars) : dollars
            dollars.removeAll()
            result.append(byte)
        }
        return String(decoding: result + dollars, as: UTF8.self)
    }
}
