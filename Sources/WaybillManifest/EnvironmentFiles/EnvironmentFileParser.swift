import WaybillDiagnostics
import WaybillJSON

/// Parses a file of environment variables in one pass; see `EnvironmentFile` for the format.
struct EnvironmentFileParser {
    /// The number of diagnostics after which the rest is not checked.
    private static let maximumDiagnostics = 1000

    /// The variables read so far.
    private(set) var variables: [String: String] = [:]
    /// The diagnostics, whose strings contain no part of a value.
    private(set) var diagnostics: [Diagnostic] = []
    /// The parts of the file that are not values: the parts that a diagnostic may show.
    private(set) var shown: [Range<Int>] = []

    private let file: SourceFile
    private var bytes: [UInt8] { file.bytes }
    private var position = 0

    init(_ file: SourceFile) { self.file = file }

    /// Parses the whole file.
    mutating func parse() {
        let bytes = bytes
        if let fault = bytes.span.firstInvalidByte {
            let range = fault..<fault + 1
            report("invalid-utf8", "the file is not valid UTF-8", at: range, help: "Save the file as UTF-8.")
            return
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
            shown.append(0..<3)
        }
        while position < bytes.count, diagnostics.count < Self.maximumDiagnostics {
            skipBlanks()
            if !isAtLineEnd, peek != UInt8(ascii: "#") { parseVariable() }
            while !isAtLineEnd { position += 1 }
            while peek == UInt8(ascii: "\r") { position += 1 }
            if peek == UInt8(ascii: "\n") { position += 1 }
        }
    }

    private mutating func parseVariable() {
        let start = position
        if bytes[position...].starts(with: "export".utf8), isBlank(at: position + 6) {
            position += 6
            skipBlanks()
        }
        let nameStart = position
        while let byte = peek, Self.isNamePart(byte, isFirst: position == nameStart) { position += 1 }
        let name = nameStart..<position
        skipBlanks()
        guard !name.isEmpty, peek == UInt8(ascii: "=") else {
            let lineEnd = bytes[position...].firstIndex(where: Self.isLineBreak) ?? bytes.count
            report(
                "env-file-syntax",
                "this line is not NAME=VALUE",
                at: start..<lineEnd,
                help: """
                    A name consists of letters, digits and _, and does not start with a digit. Put a value of \
                    several lines in quotes.
                    """
            )
            return
        }
        position += 1
        shown.append(start..<position)
        skipBlanks()
        let isQuoted = peek == UInt8(ascii: "'") || peek == UInt8(ascii: "\"")
        guard let value = isQuoted ? parseQuoted() : parseUnquoted() else { return }
        let key = String(decoding: bytes[name], as: UTF8.self)
        if variables.updateValue(String(decoding: value, as: UTF8.self), forKey: key) != nil {
            report("duplicate-key", "'\(key)' is set again; the last value is used", .warning, at: name)
        }
    }

    private mutating func parseUnquoted() -> [UInt8]? {
        let start = position
        var end = position
        while let byte = peek, !Self.isLineBreak(byte) {
            if byte == UInt8(ascii: "#"), isBlank(at: position - 1) { break }
            if byte == 0 {
                reportNull()
                return nil
            }
            if byte == UInt8(ascii: "$") { warnOfReference() }
            position += 1
            if !isBlank(at: position - 1) { end = position }
        }
        return Array(bytes[start..<end])
    }

    private mutating func parseQuoted() -> [UInt8]? {
        let start = position
        let quote = bytes[start]
        var value: [UInt8] = []
        position += 1
        while let byte = peek, byte != quote {
            switch byte {
            case 0:
                reportNull()
                return nil
            case UInt8(ascii: "\\") where quote == UInt8(ascii: "\""):
                guard let character = parseEscape() else { return nil }
                value.append(character)
                continue
            case UInt8(ascii: "\r") where peek(1) == UInt8(ascii: "\n"): break
            case UInt8(ascii: "$") where quote == UInt8(ascii: "\""):
                warnOfReference()
                value.append(byte)
            default: value.append(byte)
            }
            position += 1
        }
        guard position < bytes.count else {
            shown.append(start..<start + 1)
            report("env-file-syntax", "the closing quote of this value is missing", at: start..<start + 1)
            return nil
        }
        position += 1
        let end = position
        skipBlanks()
        guard isAtLineEnd || peek == UInt8(ascii: "#") && position > end else {
            report(
                "env-file-syntax",
                "unexpected characters after the closing quote of the value",
                at: position..<position + 1,
                help: quote == UInt8(ascii: "\"")
                    ? "Write \\\" for a quote in double quotes." : "A value in single quotes cannot contain '."
            )
            return nil
        }
        return value
    }

    /// Parses an escape in double quotes and returns its byte; `nil` for an unknown escape, which is reported.
    private mutating func parseEscape() -> UInt8? {
        let escapes: [(written: Unicode.Scalar, meant: Unicode.Scalar)] = [
            ("n", "\n"), ("r", "\r"), ("t", "\t"), ("\"", "\""), ("\\", "\\"), ("$", "$"),
        ]
        guard let escape = escapes.first(where: { UInt8(ascii: $0.written) == peek(1) }) else {
            report(
                "env-file-syntax",
                "unknown escape in double quotes",
                at: position..<position + 1,
                help: "The escapes are \\n, \\r, \\t, \\\", \\\\ and \\$. In single quotes, every character is literal."
            )
            // Skips the rest of the value, so that parsing continues with the next line.
            while let byte = peek, byte != UInt8(ascii: "\"") {
                position += byte == UInt8(ascii: "\\") && peek(1) != nil ? 2 : 1
            }
            position = min(position + 1, bytes.count)
            return nil
        }
        position += 2
        return UInt8(ascii: escape.meant)
    }

    /// Warns of a `$` that other tools would replace by the value of a variable.
    private mutating func warnOfReference() {
        guard let next = peek(1), next == UInt8(ascii: "{") || Self.isNamePart(next, isFirst: true) else { return }
        report(
            "env-file-reference",
            "variables are not substituted: this '$' is kept as it is",
            .warning,
            at: position..<position + 1,
            help: "Put the value in single quotes if this is intended."
        )
    }

    private mutating func reportNull() {
        report(
            "env-file-syntax",
            "the value contains a null character, which an environment variable cannot contain",
            at: position..<position + 1
        )
    }

    private mutating func report(
        _ id: DiagnosticID,
        _ headline: String,
        _ severity: Diagnostic.Severity = .error,
        at range: Range<Int>,
        help: String? = nil
    ) {
        diagnostics.report(id, headline, severity: severity, at: file.span(range), help: help.map { [$0] } ?? [])
    }
}

extension EnvironmentFileParser {
    private var peek: UInt8? { peek(0) }

    private func peek(_ distance: Int) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private var isAtLineEnd: Bool { peek.map(Self.isLineBreak) ?? true }

    private func isBlank(at index: Int) -> Bool {
        index < bytes.count && (bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "\t"))
    }

    private mutating func skipBlanks() {
        while isBlank(at: position) { position += 1 }
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private static func isNamePart(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): !isFirst
        default: false
        }
    }
}
