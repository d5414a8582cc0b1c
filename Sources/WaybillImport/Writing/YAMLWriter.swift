import WaybillDiagnostics

/// Writes a manifest as a person would: short maps and lists in one line, long strings as blocks.
struct YAMLWriter {
    /// The maximum length of a line that has braces or brackets, in characters.
    private static let width = 100
    /// The maximum number of levels in one line.
    private static let flowDepth = 5

    private(set) var text = ""

    /// Writes the entries of a map, each on lines of its own.
    mutating func write(_ entries: [ManifestEntry], indent: Int = 0) {
        for entry in entries {
            write(comments: entry.comments, indent: indent)
            guard let value = entry.value else { continue }
            text += Self.spaces(indent)
            write(entry.name, value, indent: indent)
        }
    }

    /// Writes comments; long ones are wrapped.
    mutating func write(comments: [String], indent: Int) {
        for comment in comments {
            for line in Self.wrapped(comment, to: Self.width - indent) {
                text += Self.spaces(indent) + (line.isEmpty ? "#" : "# \(line)") + "\n"
            }
        }
    }

    /// Writes a name and a value; the line already has its indentation.
    private mutating func write(_ name: String?, _ value: ManifestNode, indent: Int) {
        let start = name.map { Self.scalar($0, isFlow: false) + ":" } ?? ""
        let column = indent + start.unicodeScalars.count + 1
        let gap = name == nil ? "" : " "
        if name == "description", let string = value.written,
            let lines = Self.folded(string, to: Self.width - indent)
        {
            text += start + " >-\n" + lines.map { Self.spaces(indent + 2) + $0 + "\n" }.joined()
            return
        }
        if let line = Self.inline(value, room: Self.width - column) {
            text += start + gap + line + "\n"
            return
        }
        switch value {
        case .text, .string, .plain:
            let string = value.written ?? ""
            text += start + gap + "|" + (string.hasSuffix("\n") ? string.hasSuffix("\n\n") ? "+" : "" : "-") + "\n"
            let lines = string.split(separator: "\n", omittingEmptySubsequences: false)
            for line in string.hasSuffix("\n") ? lines.dropLast() : lines {
                text += line.isEmpty ? "\n" : Self.spaces(indent + 2) + line + "\n"
            }
        case .literal(let literal): text += start + gap + literal + "\n"
        case .map(let entries, _):
            text += start + "\n"
            write(entries, indent: indent + 2)
        case .list(let entries, _):
            text += start + "\n"
            writeElements(entries, indent: indent + 2)
        }
    }

    /// Writes the elements of a list.
    private mutating func writeElements(_ elements: [ManifestEntry], indent: Int) {
        for element in elements {
            write(comments: element.comments, indent: indent)
            guard let value = element.value else { continue }
            text += Self.spaces(indent) + "- "
            if case .map(let entries, let isOpen) = value, !entries.isEmpty,
                isOpen || entries.count == 1 && Self.isNested(entries[0]) == false
                    || Self.inline(value, room: Self.width - indent - 2) == nil
            {
                // The first name is on the line of the dash.
                var entries = entries
                entries[0].comments = []
                let start = text.endIndex
                write(entries, indent: indent + 2)
                text.removeSubrange(start..<text.index(start, offsetBy: indent + 2))
            } else if case .list(let inner, _) = value, Self.inline(value, room: Self.width - indent - 2) == nil {
                text.removeLast()
                text += "\n"
                writeElements(inner, indent: indent + 2)
            } else {
                write(nil, value, indent: indent)
            }
        }
    }

    private static func isNested(_ entry: ManifestEntry) -> Bool {
        switch entry.value {
        case .map, .list: true
        default: false
        }
    }

    /// Returns a value in one line; nil if it must have several, or if they are easier to read.
    private static func inline(_ value: ManifestNode, room: Int, depth: Int = 0) -> String? {
        var result: String
        switch value {
        case .text, .string, .plain:
            let string = value.written ?? ""
            let isText = if case .text = value { true } else { false }
            if depth == 0, YAMLScalarText.canBeBlock(string) { return nil }
            result = YAMLScalarText.write(string, isFlow: depth > 0, keepsTypes: !isText)
            if depth == 0 { return result }
        case .literal(let literal): result = literal
        case .map(let entries, let isOpen), .list(let entries, let isOpen):
            let marks = if case .map = value { ("{", "}") } else { ("[", "]") }
            if entries.isEmpty { return marks.0 + marks.1 }
            guard !isOpen, depth < flowDepth, let parts = inline(entries, room: room - 2, depth: depth) else {
                return nil
            }
            result = marks.0 + parts.joined(separator: ", ") + marks.1
        }
        return result.unicodeScalars.count <= room ? result : nil
    }

    private static func inline(_ entries: [ManifestEntry], room: Int, depth: Int) -> [String]? {
        var parts: [String] = []
        var room = room
        for entry in entries {
            guard entry.comments.isEmpty, let value = entry.value,
                let text = inline(value, room: room, depth: depth + 1)
            else { return nil }
            if value.written?.utf8.contains(UInt8(ascii: "\n")) ?? false { return nil }
            let part = (entry.name.map { scalar($0, isFlow: true) + ": " } ?? "") + text
            room -= part.unicodeScalars.count + 2
            parts.append(part)
        }
        return parts
    }

    /// Returns a long text as lines for a folded block, in which a line break is a space; nil for a text that must be written
    /// otherwise.
    private static func folded(_ string: String, to width: Int) -> [String]? {
        guard string.unicodeScalars.count > width, YAMLScalarText.canBeFolded(string) else { return nil }
        var lines: [String] = []
        var line = ""
        for (index, word) in string.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            let fits = line.unicodeScalars.count + word.unicodeScalars.count + 1 <= width
            // A line must not start or end with a space.
            if index > 0, fits || word.isEmpty || line.hasSuffix(" ") {
                line += " \(word)"
            } else {
                if index > 0 { lines.append(line) }
                line = String(word)
            }
        }
        return lines + [line]
    }

    /// Returns a name.
    private static func scalar(_ name: String, isFlow: Bool) -> String {
        YAMLScalarText.write(name, isFlow: isFlow, keepsTypes: false)
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

    /// Returns the lines of a comment, with its own breaks, each as long as its words allow.
    private static func wrapped(_ comment: String, to width: Int) -> [String] {
        comment.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap { line -> [String] in
            let line = PrintableText.oneLine(String(line))
            guard line.unicodeScalars.count > width else { return [line] }
            var lines = [""]
            for word in line.split(separator: " ", omittingEmptySubsequences: false) {
                if lines[lines.count - 1].isEmpty {
                    lines[lines.count - 1] = String(word)
                } else if lines[lines.count - 1].unicodeScalars.count + word.unicodeScalars.count + 1 <= width {
                    lines[lines.count - 1] += " " + word
                } else {
                    lines.append("  " + word)
                }
            }
            return lines
        }
    }
}
