package import WaybillDiagnostics
import WaybillRuntime

/// A file of environment variables, for `--env-file`.
///
/// ```
/// # A comment.
/// NAME=value             # After white space, # starts a comment.
/// export OTHER = value
/// LITERAL='as it is: $ \ and "'
/// ESCAPES="a \"quote\", a dollar \$, a tab \t,
/// and a second line"
/// ```
///
/// - `$NAME` is not substituted: it is kept as it is, with a warning outside single quotes.
/// - In double quotes, the only escapes are `\n`, `\r`, `\t`, `\"`, `\\` and `\$`. A quoted value can span several
///   lines; CR LF in it becomes LF.
/// - White space around a value is part of it only in quotes.
/// - If a name occurs several times, the last value is used.
package enum EnvironmentFile {
    /// The maximum size of a file in bytes.
    package static let maximumBytes = 16 << 20

    /// Reads the variables of the file at a path, or of standard input for `-`.
    ///
    /// The variables are `nil` exactly if the diagnostics contain an error. Diagnostics show only names from the file,
    /// because values are often secrets.
    package static func read(_ path: String) -> (variables: [String: String]?, diagnostics: [Diagnostic]) {
        do {
            let bytes = try FileContents.read(path, limit: maximumBytes, acceptsPipes: true)
            return parse(bytes, name: path == "-" ? "<standard input>" : path)
        } catch {
            return (nil, [error.diagnostic(of: "file of environment variables")])
        }
    }

    /// Parses the bytes of a file.
    ///
    /// - Parameter name: The name of the file in diagnostics.
    package static func parse(
        _ bytes: [UInt8],
        name: String
    ) -> (variables: [String: String]?, diagnostics: [Diagnostic]) {
        let file = SourceFile(name: name, bytes: bytes)
        var parser = EnvironmentFileParser(file)
        parser.parse()
        guard !parser.diagnostics.isEmpty else { return (parser.variables, []) }
        let shown = SourceFile(name: name, bytes: MaskedText.mask(bytes, except: parser.shown), isMasked: true)
        let diagnostics = parser.diagnostics.map { $0.moved(to: shown) }
        return (diagnostics.hasErrors ? nil : parser.variables, diagnostics)
    }

    /// The number of lines by which a file is recognized.
    private static let recognizedLines = 100

    /// Returns the diagnostic of a file of environment variables that is used as another file, such as a manifest; `nil` for a
    /// file that does not look like one. It shows nothing of the file.
    static func misuse(of file: SourceFile) -> Diagnostic? {
        let lines = file.bytes.split(separator: UInt8(ascii: "\n"), maxSplits: recognizedLines)
            .prefix(recognizedLines).map { $0.drop { $0 <= 0x20 } }.filter {
                !$0.isEmpty && $0.first != UInt8(ascii: "#")
            }
        let variables = lines.map { !WrittenCredentials.variable(in: $0).isEmpty }
        guard variables.first == true || variables.count(where: \.self) * 2 > variables.count else { return nil }
        let shown = SourceFile(name: file.name, bytes: MaskedText.mask(file.bytes, except: []))
        return Diagnostic(
            "yaml-syntax",
            "expected JSON or YAML, found NAME=VALUE lines of environment variables",
            at: shown.span(0..<0),
            help: ["Use --env-file to read a file of environment variables."]
        )
    }
}

extension Diagnostic {
    /// Returns the diagnostic with its labels in another file, whose lines are masked.
    func moved(to file: SourceFile) -> Diagnostic {
        var diagnostic = self
        diagnostic.primary?.span = SourceSpan(file: file, range: primary?.span.range ?? 0..<0)
        for index in secondary.indices {
            diagnostic.secondary[index].span = SourceSpan(file: file, range: secondary[index].span.range)
        }
        return diagnostic
    }
}

/// Masks a file of which only parts may be shown.
enum MaskedText {
    /// The replacements for characters of one, two, three and four bytes.
    private static let replacements = ["*", "·", "•", "𐄁"].map { Array($0.utf8) }

    /// Returns the bytes with every character replaced that is neither white space nor in one of the ranges.
    ///
    /// A character and its replacement have the same number of bytes, so that locations stay the same.
    ///
    /// - Parameter ranges: The ranges that may be shown, in order.
    static func mask(_ bytes: [UInt8], except ranges: [Range<Int>]) -> [UInt8] {
        var masked = bytes
        var index = 0
        var shown = ranges[...]
        while index < bytes.count {
            while let first = shown.first, first.upperBound <= index { shown.removeFirst() }
            let length = characterLength(bytes, at: index)
            let isShown = shown.first?.contains(index) ?? false
            if !isShown, bytes[index] > UInt8(ascii: " ") {
                for (offset, byte) in replacements[length - 1].enumerated() { masked[index + offset] = byte }
            }
            index += length
        }
        return masked
    }

    /// Returns the length of the UTF-8 sequence at an index; 1 for a byte that is not part of a valid one.
    private static func characterLength(_ bytes: [UInt8], at index: Int) -> Int {
        let wanted =
            switch bytes[index] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        let rest = bytes[(index + 1)...].prefix(wanted - 1).prefix { $0 & 0xC0 == 0x80 }
        return rest.count == wanted - 1 ? wanted : 1
    }
}
