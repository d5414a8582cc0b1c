import WaybillDiagnostics
import WaybillJSON

/// Writes strings as YAML scalars, with quotes only where they are needed.
enum YAMLScalarText {
    /// Returns a string as a scalar in one line.
    ///
    /// - Parameters:
    ///   - isFlow: Whether the scalar is inside braces or brackets.
    ///   - keepsTypes: Whether a string like `1.10` or `true` must be quoted, because YAML would read another type.
    static func write(_ text: String, isFlow: Bool, keepsTypes: Bool) -> String {
        let isPlain =
            canBePlain(text, isFlow: isFlow) && !isNull(text) && !(keepsTypes && isReadAsOtherType(text))
        if isPlain { return text }
        if text.utf8.contains(UInt8(ascii: "\"")) || text.utf8.contains(UInt8(ascii: "\\")),
            !text.utf8.contains(UInt8(ascii: "'")), text.unicodeScalars.allSatisfy(isPrintable)
        {
            return "'\(text)'"
        }
        return quoted(text)
    }

    /// Whether a string of several lines can be written as a block after `|`.
    static func canBeBlock(_ text: String) -> Bool {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count > 1, let first = lines.first(where: { !$0.isEmpty }) else { return false }
        // A first line that starts with a space would need its indentation written out.
        return first.first != UInt8(ascii: " ") && first.first != UInt8(ascii: "\t") && lines[0].count > 0
            && text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || isPrintable($0) }
    }

    /// Whether a string without line breaks can be written as a block after `>`.
    static func canBeFolded(_ text: String) -> Bool {
        !text.hasPrefix(" ") && !text.hasSuffix(" ") && text.unicodeScalars.allSatisfy(isPrintable)
    }

    /// Whether YAML reads the string itself, if it is written without quotes.
    private static func canBePlain(_ text: String, isFlow: Bool) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last, text.unicodeScalars.allSatisfy(isPrintable) else {
            return false
        }
        if first == space || last == space || last == UInt8(ascii: ":") { return false }
        if "[]{},#&*!|>'\"%@`".utf8.contains(first) { return false }
        if "-?:".utf8.contains(first), bytes.count == 1 || bytes[1] == space || isFlow { return false }
        if text == "---" || text == "..." || text == "<<" || text == "=" { return false }
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: ":"): if isFlow || index + 1 < bytes.count && bytes[index + 1] == space { return false }
            case UInt8(ascii: "#"): if index > 0, bytes[index - 1] == space { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","):
                if isFlow { return false }
            default: break
            }
        }
        return true
    }

    private static let space = UInt8(ascii: " ")

    private static func isNull(_ text: String) -> Bool { text == "~" || text.lowercased() == "null" }

    /// Whether the core schema of YAML 1.2 may read a plain scalar as a number, boolean or null.
    private static func isReadAsOtherType(_ text: String) -> Bool {
        if ["true", "false", ".inf", "-.inf", "+.inf", ".nan"].contains(text.lowercased()) { return true }
        var number = text.utf8[...]
        if number.first == UInt8(ascii: "-") || number.first == UInt8(ascii: "+") { number.removeFirst() }
        guard let first = number.first, isDigit(first) || first == UInt8(ascii: ".") else { return false }
        if first == UInt8(ascii: "0"), let mark = number.dropFirst().first, "xXoO".utf8.contains(mark) { return true }
        number = number.drop(while: isDigit)
        if number.first == UInt8(ascii: ".") { number = number.dropFirst().drop(while: isDigit) }
        if let mark = number.first, "eE".utf8.contains(mark) {
            number.removeFirst()
            if let sign = number.first, "+-".utf8.contains(sign) { number.removeFirst() }
            number = number.drop(while: isDigit)
        }
        return number.isEmpty
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether a character may be in a plain or single-quoted scalar: it is printable, and no line break.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF, 0xE000...0xF8FF: false
        default: !PrintableText.steers(scalar)
        }
    }

    /// Returns a string in double quotes, with the escapes of JSON and those that YAML needs.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if isPrintable(scalar) {
                    result.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16)
                    let (mark, length) = scalar.value > 0xFFFF ? ("U", 8) : ("u", 4)
                    result += "\\\(mark)" + String(repeating: "0", count: length - digits.count) + digits
                }
            }
        }
        return result + "\""
    }
}
