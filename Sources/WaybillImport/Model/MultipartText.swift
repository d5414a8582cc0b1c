/// The text of a body of the type `multipart/form-data` (RFC 7578). No part is a file yet.
enum MultipartText {
    /// Returns the parts; nil if the text does not have the form that its media type names.
    static func parts(of text: String, type: String) -> [ImportedPart]? {
        guard let boundary = parameter("boundary", of: type), !boundary.isEmpty else { return nil }
        // Of a body with the line breaks of the format, other ones are content.
        let isExact = text.contains("\r\n" as Character)
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" && !isExact }
        var parts: [ImportedPart] = []
        var current: [Substring]?
        for line in lines {
            let mark = String(line).trimmingSpaces
            guard mark == "--\(boundary)" || mark == "--\(boundary)--" else {
                current?.append(line)
                continue
            }
            if let lines = current {
                guard let part = part(lines) else { return nil }
                parts.append(part)
            }
            current = mark.hasSuffix("\(boundary)--") && mark != "--\(boundary)" ? nil : []
        }
        // The last boundary may be missing.
        if let lines = current, lines.contains(where: { !$0.allSatisfy(\.isWhitespace) }) {
            guard let part = part(lines) else { return nil }
            parts.append(part)
        }
        return parts.isEmpty ? nil : parts
    }

    private static func part(_ lines: [Substring]) -> ImportedPart? {
        let end = lines.firstIndex { $0.allSatisfy(\.isWhitespace) } ?? lines.count
        let content = ImportedText(lines.dropFirst(end + 1).joined(separator: "\r\n"))
        var part = ImportedPart(name: "", content: .text(content))
        var hasName = false
        for line in lines[..<end] {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = String(line[..<colon]).trimmingSpaces
            let value = String(line[line.index(after: colon)...]).trimmingSpaces
            switch name.lowercased() {
            case "content-disposition":
                if let name = parameter("name", of: value) { (part.name, hasName) = (name, true) }
                part.filename = parameter("filename", of: value)
            case "content-type": part.contentType = value.isEmpty ? nil : value
            default: part.headers.append(ImportedField(name, ImportedText(value)))
            }
        }
        return hasName ? part : nil
    }

    /// Returns a parameter of a header field: `"a"` in `form-data; name="a"`.
    private static func parameter(_ name: String, of field: String) -> String? {
        var rest = field[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop(while: \.isWhitespace)
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }), rest[equals] == "=" else { continue }
            let isWanted = String(rest[..<equals]).trimmingSpaces.lowercased() == name
            rest = rest[rest.index(after: equals)...]
            guard rest.first != "\"" else {
                let value = rest.readQuoted()
                if isWanted { return value }
                continue
            }
            let value = rest.prefix { $0 != ";" }
            if isWanted { return String(value).trimmingSpaces }
            rest = rest[value.endIndex...]
        }
        return nil
    }
}

extension Substring {
    /// Reads a string in double quotes.
    ///
    /// - Parameter escape: Returns what a character after a backslash means; by default itself.
    mutating func readQuoted(_ escape: (Character) -> String = { String($0) }) -> String {
        var value = ""
        removeFirst()
        while let character = popFirst(), character != "\"" {
            if character == "\\", let next = popFirst() { value += escape(next) } else { value.append(character) }
        }
        return value
    }
}
