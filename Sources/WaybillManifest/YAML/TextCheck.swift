import WaybillDiagnostics
import WaybillJSON

/// Checks before parsing that a file contains only characters that YAML allows (YAML 1.2.2, sections 5.1 and 5.2).
///
/// The only accepted encoding is UTF-8, with or without a byte order mark.
enum TextCheck {
    /// Returns the first error in a file.
    static func diagnostic(for file: SourceFile) -> Diagnostic? {
        guard let encoding = otherEncoding(of: file.bytes) else {
            return firstDiagnostic(in: file) ?? tooManyDirectives(in: file)
        }
        return Diagnostic(
            "invalid-utf8",
            "the file is encoded in \(encoding), not in UTF-8",
            at: file.span(0..<0),
            help: ["Save the file as UTF-8."]
        )
    }

    /// Returns an error if there are too many `%TAG` directives: libyaml compares each one with all before it, which
    /// takes quadratic time.
    private static func tooManyDirectives(in file: SourceFile) -> Diagnostic? {
        guard file.bytes.contains(UInt8(ascii: "%")) else { return nil }
        let limit = 100
        let lines = (1...file.lineCount).lazy.map { file.byteRange(ofLine: $0) }
        let excess = lines.filter { file.bytes[$0].starts(with: "%TAG".utf8) }.dropFirst(limit).first
        return excess.map { line in
            Diagnostic("too-large", "the file has more than \(limit) %TAG directives", at: file.span(line))
        }
    }

    private static func otherEncoding(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        return nil
    }

    /// Returns the error for the first byte that is not UTF-8, or character that is not allowed.
    private static func firstDiagnostic(in file: SourceFile) -> Diagnostic? {
        let bytes = file.bytes
        // In most files, all bytes are characters in ASCII.
        guard var index = bytes[file.byteOrderMarkLength...].firstIndex(where: { $0 >= 0x7F || !isAllowed(UInt32($0)) })
        else { return nil }
        let fault = bytes.span.firstInvalidByte
        for scalar in String(decoding: bytes[index..<(fault ?? bytes.count)], as: UTF8.self).unicodeScalars {
            let end = index + UTF8.width(scalar)
            if !isAllowed(scalar.value) { return forbidden(scalar.value, at: file.span(index..<end)) }
            index = end
        }
        return fault.map { index in
            Diagnostic(
                "invalid-utf8",
                "the byte \(bytes[index].digits(2, radix: 16)) is not valid UTF-8",
                at: file.span(index..<index + 1),
                help: ["Save the file as UTF-8."]
            )
        }
    }

    private static func isAllowed(_ code: UInt32) -> Bool {
        switch code {
        case 0x09, 0x0A, 0x0D, 0x20..<0x7F: true
        case ..<0xA0, 0x2028, 0x2029, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    private static func forbidden(_ code: UInt32, at span: SourceSpan) -> Diagnostic {
        if code == 0 {
            return Diagnostic("binary-file", "the file contains a zero byte, so it is not a text file", at: span)
        }
        let digits = code.digits(4, radix: 16)
        // YAML 1.2 allows these, but for YAML 1.1, which most parsers read, they end a line, and a comment with it.
        let endsLines = code == 0x85 || code == 0x2028 || code == 0x2029
        return Diagnostic(
            "control-character",
            endsLines
                ? "the character U+\(digits) is not allowed here: some programs read it as the end of the line"
                : "the control character U+\(digits) is not allowed in YAML",
            at: span,
            help: ["Remove it, or write it in double quotes as \"\\u\(digits)\"."]
        )
    }
}

extension SourceFile {
    /// The length of the byte order mark in bytes: 0 or 3.
    var byteOrderMarkLength: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }
}
