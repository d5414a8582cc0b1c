/// Strings of Postman and other clients, in which `{{name}}` is a variable.
enum BracedText {
    /// The dynamic variables of Postman that have an expression.
    private static let dynamic = [
        "$guid": "uuid()", "$randomUUID": "uuid()", "$timestamp": "epoch()", "$isoTimestamp": "now()",
    ]

    /// Returns a string with its variables. Dynamic variables without a counterpart become variables, too.
    static func text(_ string: String) -> (text: ImportedText, unknown: [String]) {
        var unknown: [String] = []
        let text = text(string) { name in
            if let expression = dynamic[name] { return .expression(expression) }
            guard name.hasPrefix("$") else { return .variable(name) }
            unknown.append(name)
            return .variable(String(name.dropFirst()))
        }
        return (text, unknown)
    }

    /// Returns a string with what `{{name}}` stands for.
    static func text(_ string: String, _ part: (String) -> ImportedText.Part) -> ImportedText {
        var text = ImportedText()
        var rest = string[...]
        while let open = rest.firstRange(of: "{{") {
            // Braces inside a name are no variable: the inner pair may be one.
            let inner = rest[open.upperBound...].prefix { $0 != "{" && $0 != "\n" }
            let close = inner.firstRange(of: "}}")
            let name = String(inner[..<(close?.lowerBound ?? inner.startIndex)]).trimmingSpaces
            guard let close, !name.isEmpty else {
                text.append(.literal(String(rest[..<rest.index(after: open.lowerBound)])))
                rest = rest[rest.index(after: open.lowerBound)...]
                continue
            }
            text.append(.literal(String(rest[..<open.lowerBound])))
            text.append(part(name))
            rest = rest[close.upperBound...]
        }
        text.append(.literal(String(rest)))
        return text
    }
}

extension String {
    /// The string without blanks at its ends.
    var trimmingSpaces: String {
        guard let start = firstIndex(where: { !$0.isWhitespace }), let end = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[start...end])
    }
}
