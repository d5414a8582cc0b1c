import WaybillDiagnostics
import WaybillPlatform

/// Checks before parsing that a file contains only characters that YAML allows (YAML 1.2.2, sections 5.1 and 5.2).
///
/// The only accepted encoding is UTF-8, with or without a byte order mark.
struct TextCheck {
    /// The length of the byte order mark in bytes: 0 or 3.
    let byteOrderMarkLength: Int
    /// Whether all bytes after the byte order mark are ASCII, so that each of them is a code point.
    let isASCII: Bool
    /// The first error.
    let diagnostic: Diagnostic?

    init(_ file: SourceFile) {
        let markLength = file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        byteOrderMarkLength = markLength
        var isASCII = true
        if let encoding = Self.otherEncoding(of: file.bytes) {
            diagnostic = Diagnostic(
                "invalid-utf8",
                "the file is encoded in \(encoding), not in UTF-8",
                at: file.span(0..<0),
                help: ["Save the file as UTF-8."]
            )
        } else {
            diagnostic =
                file.bytes.withUnsafeBufferPointer { bytes in
                    Self.firstDiagnostic(in: bytes, from: markLength, of: file, &isASCII)
                } ?? Self.tooManyDirectives(in: file)
        }
        self.isASCII = isASCII
    }

    /// Returns an error if there are too many `%TAG` directives: libyaml compares each one with all before it, which
    /// takes quadratic time.
    private static func tooManyDirectives(in file: SourceFile) -> Diagnostic? {
        let percent = Int32(UInt8(ascii: "%"))
        let hasDirectives = file.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memchr($0, percent, bytes.count) != nil } ?? false
        }
        guard hasDirectives else { return nil }
        let limit = 100
        let directive = Array("%TAG".utf8)
        let lines = (1...file.lineCount).lazy.map { file.byteRange(ofLine: $0) }
        let excess = lines.filter { file.bytes[$0].starts(with: directive) }.dropFirst(limit).first
        return excess.map { line in
            Diagnostic("too-large", "the file has more than \(limit) %TAG directives", at: file.span(line))
        }
    }

    private static func otherEncoding(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        return nil
    }

    private static func firstDiagnostic(
        in bytes: UnsafeBufferPointer<UInt8>,
        from start: Int,
        of file: SourceFile,
        _ isASCII: inout Bool
    ) -> Diagnostic? {
        var index = start
        while index < bytes.count {
            index += plainBytes(in: bytes, from: index)
            guard index < bytes.count else { break }
            let byte = bytes[index]
            if byte >= 0x20, byte < 0x7F {
                index += 1
            } else if byte < 0x80 {
                guard byte == 0x0A || byte == 0x0D || byte == 0x09 else {
                    return forbidden(UInt32(byte), at: file.span(index..<index + 1))
                }
                index += 1
            } else {
                isASCII = false
                guard let (code, length) = decode(bytes, at: index) else {
                    return Diagnostic(
                        "invalid-utf8",
                        "the byte \(hexadecimal(UInt32(byte), digits: 2)) is not valid UTF-8",
                        at: file.span(index..<index + 1),
                        help: ["Save the file as UTF-8."]
                    )
                }
                if (0x80..<0xA0).contains(code) || [0x2028, 0x2029, 0xFFFE, 0xFFFF].contains(code) {
                    return forbidden(code, at: file.span(index..<index + length))
                }
                index += length
            }
        }
        return nil
    }

    /// Returns how many bytes from an index on are printable ASCII or line feeds and need no further check. Eight bytes
    /// are checked at a time.
    private static func plainBytes(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let signs = ones << 7
        var index = start
        while index + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word & signs == 0 else { break }
            // No byte is above 0x7F, so no sum carries into the next byte: each one sets only the sign of its own byte.
            let isPrintable = (word &+ ones &* 0x60) & ~(word &+ ones)
            let isLineFeed = ~((word ^ ones &* 0x0A) &+ ones &* 0x7F)
            guard (isPrintable | isLineFeed) & signs == signs else { break }
            index += 8
        }
        return index - start
    }

    /// Returns the code point and length of the well-formed multibyte sequence at an index (Unicode, table 3-7).
    private static func decode(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> (code: UInt32, length: Int)? {
        let lead = bytes[index]
        let (length, second): (Int, ClosedRange<UInt8>)
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return nil }
        var code = UInt32(lead) & (0x7F >> UInt32(length))
        for byte in bytes[index + 1..<index + length] {
            guard byte & 0xC0 == 0x80 else { return nil }
            code = code << 6 | UInt32(byte & 0x3F)
        }
        return (code, length)
    }

    private static func forbidden(_ code: UInt32, at span: SourceSpan) -> Diagnostic {
        if code == 0 {
            return Diagnostic("binary-file", "the file contains a zero byte, so it is not a text file", at: span)
        }
        let digits = hexadecimal(code, digits: 4)
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

    private static func hexadecimal(_ code: UInt32, digits: Int) -> String {
        let text = String(code, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
