/// A string of a source that may refer to variables: `https://{{host}}/orders`.
package struct ImportedText: Sendable, Hashable {
    /// A part of the string.
    package enum Part: Sendable, Hashable {
        /// Characters that mean themselves.
        case literal(String)
        /// The value of a variable.
        case variable(String)
        /// An expression of the manifest language, such as `uuid()`.
        case expression(String)
    }

    /// The parts, in order. No two literals are next to each other, and none is empty.
    package private(set) var parts: [Part] = []

    /// Creates a text without references.
    package init(_ literal: String = "") { append(.literal(literal)) }

    /// Creates a text from parts.
    package init(_ parts: some Sequence<Part>) {
        for part in parts { append(part) }
    }

    /// Adds a part at the end.
    package mutating func append(_ part: Part) {
        guard case .literal(let text) = part else { return parts.append(part) }
        if text.isEmpty { return }
        guard case .literal(var earlier) = parts.last else { return parts.append(part) }
        // The string has no other owner now: it is not copied for each character.
        parts.removeLast()
        earlier += text
        parts.append(.literal(earlier))
    }

    /// Adds another text at the end.
    package mutating func append(_ other: ImportedText) {
        for part in other.parts { append(part) }
    }

    /// The string, if it refers to nothing.
    package var literal: String? {
        switch parts.count {
        case 0: ""
        case 1: if case .literal(let text) = parts[0] { text } else { nil }
        default: nil
        }
    }

    /// Whether there are no characters.
    package var isEmpty: Bool { parts.isEmpty }

    /// The names of the variables, in order.
    package var variables: [String] {
        parts.compactMap { if case .variable(let name) = $0 { name } else { nil } }
    }

    /// Splits the text at the first of some ASCII characters in a literal part. The second part starts with the
    /// character; it is nil if there is none.
    func split(before characters: Set<Unicode.Scalar>) -> (ImportedText, ImportedText?) {
        for (index, part) in parts.enumerated() {
            guard case .literal(let text) = part,
                let cut = text.unicodeScalars.firstIndex(where: characters.contains)
            else { continue }
            let head = ImportedText(parts[..<index] + [.literal(String(text[..<cut]))])
            return (head, ImportedText([.literal(String(text[cut...]))] + parts[(index + 1)...]))
        }
        return (self, nil)
    }

    /// The parts between an ASCII character in literal parts.
    func split(separator: Unicode.Scalar) -> [ImportedText] {
        var result = [ImportedText()]
        for part in parts {
            guard case .literal(let text) = part else {
                result[result.count - 1].append(part)
                continue
            }
            let pieces = text.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false)
            for (index, piece) in pieces.enumerated() {
                if index > 0 { result.append(ImportedText()) }
                result[result.count - 1].append(.literal(String(piece)))
            }
        }
        return result
    }

    /// The text without the first characters of its first literal part.
    func droppingFirst(_ count: Int) -> ImportedText {
        guard case .literal(let text) = parts.first else { return self }
        return ImportedText([.literal(String(text.unicodeScalars.dropFirst(count)))] + parts.dropFirst())
    }

    /// Returns the text with another one for a string in its literal parts.
    func replacing(_ string: String, with text: ImportedText) -> ImportedText {
        ImportedText(
            parts.flatMap { part -> [Part] in
                guard case .literal(let literal) = part else { return [part] }
                let pieces = literal.split(separator: string, omittingEmptySubsequences: false)
                return Array(pieces.map { [Part.literal(String($0))] }.joined(separator: text.parts))
            }
        )
    }

    /// Returns the text with its literal parts changed.
    func mapLiterals(_ change: (String) -> String) -> ImportedText {
        ImportedText(parts.map { if case .literal(let text) = $0 { .literal(change(text)) } else { $0 } })
    }
}

extension ImportedText: ExpressibleByStringInterpolation {
    /// The parts of a literal: texts keep their references.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ImportedText()

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { text.append(.literal(literal)) }

        package mutating func appendInterpolation(_ other: ImportedText) { text.append(other) }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text.append(.literal(value.description))
        }
    }

    package init(stringLiteral value: String) { self.init(value) }

    package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.text }
}

extension ImportedText {
    /// A variable.
    static func ofVariable(_ name: String) -> ImportedText { ImportedText([.variable(name)]) }

    /// A string as a constant of the manifest language.
    static func quoted(_ text: String) -> ImportedText { ImportedText(ManifestWriter.quoted(text)) }

    /// The expression `name(argument, …)`.
    static func call(_ name: String, _ arguments: [ImportedText]) -> ImportedText {
        "\(name)(\(arguments.joined(separator: ", ")))"
    }
}

extension [ImportedText] {
    /// The texts as one.
    func joined(separator: String) -> ImportedText {
        var result = first ?? ""
        for text in dropFirst() { result = "\(result)\(separator)\(text)" }
        return result
    }
}
