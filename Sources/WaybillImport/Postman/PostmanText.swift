/// Strings of Postman, in which `{{name}}` is a variable.
enum PostmanText {
    /// The dynamic variables that have an expression.
    private static let dynamic = [
        "$guid": "uuid()", "$randomUUID": "uuid()", "$timestamp": "epoch()", "$isoTimestamp": "now()",
    ]

    /// Returns a string with its variables. Dynamic variables without a counterpart become variables, too.
    static func text(_ string: String) -> (text: ImportedText, unknown: [String]) {
        var text = ImportedText()
        var unknown: [String] = []
        var rest = string[...]
        while let open = rest.firstRange(of: "{{") {
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else { break }
            let name = String(rest[open.upperBound..<close.lowerBound]).trimmingSpaces
            // Braces inside a name are no variable: the inner pair may be one.
            guard !name.isEmpty, !name.contains("{"), !name.contains("\n") else {
                text.append(.literal(String(rest[..<rest.index(after: open.lowerBound)])))
                rest = rest[rest.index(after: open.lowerBound)...]
                continue
            }
            text.append(.literal(String(rest[..<open.lowerBound])))
            if let expression = dynamic[name] {
                text.append(.expression(expression))
            } else {
                text.append(.variable(name.hasPrefix("$") ? String(name.dropFirst()) : name))
                if name.hasPrefix("$") { unknown.append(name) }
            }
            rest = rest[close.upperBound...]
        }
        text.append(.literal(String(rest)))
        return (text, unknown)
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
