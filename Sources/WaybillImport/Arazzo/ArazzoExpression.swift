import WaybillFormats
import WaybillJSON
import WaybillManifest

/// Runtime expressions (Arazzo 1.1.0, section "Runtime Expressions") as paths and parts of strings.
enum ArazzoExpression {
    /// The names that expressions start with, also those of one runner only.
    private static let roots: Set<String> = [
        "url", "method", "statusCode", "request", "response", "message", "inputs", "outputs", "steps", "workflows",
        "sourceDescriptions", "components", "self", "dependencies", "faker", "env",
    ]

    /// Returns the first name of an expression; nil if the text starts with none.
    static func root(_ text: some StringProtocol) -> String? {
        guard text.hasPrefix("$") else { return nil }
        let name = String(text.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0 == "_") })
        return roots.contains(name) ? name : nil
    }

    /// A part of a string.
    enum Part {
        case literal(String)
        case expression(String)
    }

    /// Returns the parts of a string: all of it is an expression, or it has expressions in braces.
    static func parts(_ text: String) -> [Part] {
        if root(text) != nil, !text.contains("{$"), isWhole(text) { return [.expression(text)] }
        var result: [Part] = []
        var literal = ""
        var rest = text[...]
        func flush() {
            if !literal.isEmpty { result.append(.literal(literal)) }
            literal = ""
        }
        while let first = rest.first {
            if rest.hasPrefix("{$"), root(rest.dropFirst()) != nil, let close = rest.firstIndex(of: "}") {
                flush()
                result.append(.expression(String(rest[rest.index(after: rest.startIndex)..<close])))
                rest = rest[rest.index(after: close)...]
            } else if first == "$", let name = root(rest),
                ["inputs", "steps", "workflows", "dependencies"].contains(name)
            {
                // Some runners also evaluate expressions without braces.
                let word = rest.prefix { $0 == "$" || isNameCharacter($0) || $0 == "#" || $0 == "/" }
                flush()
                result.append(.expression(String(word)))
                rest = rest[word.endIndex...]
            } else {
                literal.append(first)
                rest = rest.dropFirst()
            }
        }
        flush()
        return result
    }

    /// Whether a text that starts as an expression has no other text after it.
    private static func isWhole(_ text: String) -> Bool {
        // The parameters of faker functions are JavaScript. The names of operations and pointers may have blanks.
        if let name = root(text), ["faker", "sourceDescriptions"].contains(name) { return true }
        let head = text.prefix { $0 != "#" }
        return head.allSatisfy { $0 == "$" || isNameCharacter($0) || "[]'\"".contains($0) }
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
    }

    /// Returns the path of a JSON Pointer (RFC 6901): `.items[0]` for `/items/0`.
    static func path(pointer: some StringProtocol) throws(Untranslatable) -> String {
        if pointer.isEmpty { return "" }
        guard let tokens = JSONPointer(parsing: String(pointer))?.tokens else {
            throw Untranslatable("'\(pointer)' is not a JSON Pointer")
        }
        return tokens.map { member($0.text) }.joined()
    }

    /// Returns the path of names after dots and of indices: `.items[0]` for `.items[0]` and `.items.0`.
    static func path(dotted text: some StringProtocol) throws(Untranslatable) -> String {
        var result = ""
        var rest = Substring(text)
        while let first = rest.first {
            if first == "[" {
                guard let close = rest.firstIndex(of: "]") else { throw Untranslatable("a ']' is missing") }
                let inner = rest[rest.index(after: rest.startIndex)..<close]
                let isQuoted =
                    inner.count >= 2 && (inner.first == "'" || inner.first == "\"") && inner.last == inner.first
                guard isQuoted || Int(inner) != nil else { throw Untranslatable("'[\(inner)]' is not an index") }
                result += member(String(isQuoted ? inner.dropFirst().dropLast() : inner))
                rest = rest[rest.index(after: close)...]
            } else if first == "." {
                let name = rest.dropFirst().prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty else { throw Untranslatable("a name is missing after a dot") }
                result += member(String(name))
                rest = rest[name.endIndex...]
            } else {
                throw Untranslatable("'\(rest)' is not a path")
            }
        }
        return result
    }

    /// Returns a member or element as a part of a path.
    static func member(_ name: String) -> String {
        if !name.isEmpty, name.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), name.utf8.count < 10 {
            return "[\(Int(name) ?? 0)]"
        }
        return NameForms.kept(name) == name ? ".\(name)" : "[\(ManifestWriter.quoted(name))]"
    }
}
