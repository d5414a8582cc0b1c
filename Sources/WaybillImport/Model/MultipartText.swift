/// The text of a body of the type `multipart/form-data` (RFC 7578).
enum MultipartText {
    /// A part of it, which is not a file yet.
    struct Part {
        var name: String
        var filename: String?
        var contentType: String?
        /// The other header fields.
        var headers: [(name: String, value: String)]
        var content: String

        /// Returns the part with some content.
        func part(_ content: ImportedPart.Content) -> ImportedPart {
            let fields = headers.map { ImportedField($0.name, ImportedText($0.value)) }
            return ImportedPart(
                name: name,
                content: content,
                filename: filename,
                contentType: contentType,
                headers: fields
            )
        }
    }

    /// Returns the parts; nil if the text does not have the form that its media type names.
    static func parts(of text: String, type: String) -> [Part]? {
        guard let boundary = parameter("boundary", of: type), !boundary.isEmpty else { return nil }
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        var parts: [Part] = []
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

    private static func part(_ lines: [Substring]) -> Part? {
        let end = lines.firstIndex { $0.allSatisfy(\.isWhitespace) } ?? lines.count
        var part = Part(name: "", filename: nil, contentType: nil, headers: [], content: "")
        var hasName = false
        for line in lines[..<end] {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = String(line[..<colon]).trimmingSpaces
            let value = String(line[line.index(after: colon)...]).trimmingSpaces
            switch name.lowercased() {
            case "content-disposition":
                if let name = parameter("name", of: value) { (part.name, hasName) = (name, true) }
                part.filename = parameter("filename", of: value)
            case "content-type": part.contentType = value
            default: part.headers.append((name, value))
            }
        }
        part.content = lines.dropFirst(end + 1).joined(separator: "\r\n")
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
            let isQuoted = rest.first == "\""
            if isQuoted { rest = rest.dropFirst() }
            var value = ""
            while let character = rest.first, isQuoted ? character != "\"" : character != ";" {
                rest = rest.dropFirst()
                if isQuoted, character == "\\", let next = rest.first {
                    value.append(next)
                    rest = rest.dropFirst()
                } else {
                    value.append(character)
                }
            }
            if isWanted { return isQuoted ? value : value.trimmingSpaces }
        }
        return nil
    }
}
