/// Regular expressions of JavaScript and Rust as I-Regexps (RFC 9485).
enum IRegexp {
    /// Returns a pattern as an I-Regexp.
    ///
    /// - Parameter isCaptured: Whether the text of the first group is needed, and not only whether the pattern matches.
    static func pattern(_ pattern: String, isCaptured: Bool = false) throws(Untranslatable) -> String {
        let none = Untranslatable("the pattern has no form as an I-Regexp")
        var result = ""
        var isInClass = false
        var rest = pattern[...]
        func isNext(_ text: String) -> Bool { rest.hasPrefix(text) }
        while let character = rest.popFirst() {
            switch character {
            case "\\":
                guard let escaped = rest.popFirst() else { throw none }
                result += try escape(escaped, isInClass: isInClass)
            case "[":
                guard !isInClass, !isNext("[") else { throw none }
                isInClass = true
                result += "["
            case "]":
                isInClass = false
                result += "]"
            case "(" where !isInClass && isNext("?"):
                // A group that captures nothing.
                guard isNext("?:"), !isCaptured || result.contains("(") else { throw none }
                rest = rest.dropFirst(2)
                result += "("
            case "?" where !isInClass && ["*", "+", "?", "}"].contains(result.last.map(String.init) ?? ""):
                guard !isCaptured else {
                    result = try greedy(result, before: rest)
                    continue
                }
            case "-" where isInClass && (isNext("]") || result.hasSuffix("[")): result += "\\-"
            default: result.append(character)
            }
        }
        guard !isCaptured || result.replacing("\\(", with: "").contains("(") else {
            throw Untranslatable("the pattern has no group")
        }
        return result
    }

    /// The condition that a string matches a pattern of JavaScript.
    static func condition(_ pattern: String, _ value: ImportedText) throws(Untranslatable) -> ImportedText {
        var text = pattern
        let (isStart, isEnd) = (text.hasPrefix("^"), text.hasSuffix("$") && !text.hasSuffix("\\$"))
        if isStart { text.removeFirst() }
        if isEnd { text.removeLast() }
        text = try self.pattern(text.replacing("[\\s\\S]", with: "(.|\\n|\\r)"))
        guard !text.replacing("[^", with: "").contains(where: { $0 == "^" || $0 == "$" }) else {
            throw Untranslatable("the pattern has no form as an I-Regexp")
        }
        guard isStart || isEnd else { return "search(\(value), \(ManifestWriter.quoted(text)))" }
        let whole = (isStart ? "" : ".*") + "(\(text))" + (isEnd ? "" : ".*")
        return "match(\(value), \(ManifestWriter.quoted(whole)))"
    }

    private static func escape(_ character: Character, isInClass: Bool) throws(Untranslatable) -> String {
        let sets: [Character: String] = ["d": "0-9", "w": "A-Za-z0-9_", "s": " \\t\\r\\n"]
        if let set = sets[character] { return isInClass ? set : "[\(set)]" }
        if let set = sets[Character(character.lowercased())], !isInClass { return "[^\(set)]" }
        if "nrt".contains(character) || "\\|.-^?*+{}()[]$".contains(character) { return "\\\(character)" }
        guard !character.isLetter, !character.isNumber else {
            throw Untranslatable("the pattern has no form as an I-Regexp")
        }
        return String(character)
    }

    /// Returns a pattern that ends with a lazy `.*` or `.+`, with a class in its location: `"(.*?)"` is `"([^"\n]*)"`.
    private static func greedy(_ pattern: String, before rest: Substring) throws(Untranslatable) -> String {
        // The same text is found if the pattern ends with the one character that follows.
        guard rest.count == 2, rest.first == ")", let end = rest.last, !"\\|.-^?*+{}()[]$".contains(end),
            let mark = pattern.last, pattern.hasSuffix(".\(mark)")
        else { throw Untranslatable("the pattern has a lazy repetition") }
        return "\(pattern.dropLast(2))[^\(end)\\n]\(mark)"
    }
}
