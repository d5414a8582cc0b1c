import WaybillDiagnostics
import WaybillPipeline

/// What is written to a standard stream. It determines which characters are changed, because the terminal, or the
/// service that runs the program as part of a job and reads its log, would otherwise interpret them.
enum OutputContent {
    /// Text for people and text formats, in which a space may be inserted. Except for line breaks, tabs and the program's own
    /// styles, characters that control terminals are replaced: no caller has to remember that.
    case text
    /// JSON, in whose strings characters may be escaped.
    case json
    /// The content of a response or a file, which programs read: as it is, unless it goes to a terminal, or to the log of a
    /// job.
    case data
    /// Commands to GitHub Actions, one on each line. Those of other services in them have a space.
    case annotations
    /// Constant text of the program: as it is.
    case verbatim

    /// Returns the bytes to write.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether they go to a terminal.
    ///   - isColoured: Whether text has the styles of terminals.
    func bytes(for content: [UInt8], isTerminal: Bool, isColoured: Bool) -> [UInt8] {
        switch self {
        case .text: Self.withSpaces(Self.printable(content, isColoured: isColoured))
        case .json:
            Self.withEscapes(
                Self.isJob ? Self.withoutCommands(content) { Array("\\u00\(String($0, radix: 16))".utf8) } : content
            )
        case .data: Self.withSpaces(isTerminal ? Self.printable(content) : content)
        case .annotations:
            Self.isJob ? Self.withoutCommands(content, exceptGitHub: true) { [UInt8(ascii: " "), $0] } : content
        case .verbatim: content
        }
    }

    /// Whether GitHub Actions, GitLab CI, Azure Pipelines or TeamCity runs the program. They execute commands that they
    /// find in the output.
    private static let isJob: Bool = {
        let variables = ProcessVariables.all
        let names = ["GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "TEAMCITY_VERSION"]
        return names.contains { !(variables[$0] ?? "").isEmpty }
    }()

    /// Returns a text without characters that control terminals, except the program's own styles.
    private static func printable(_ text: [UInt8], isColoured: Bool = false) -> [UInt8] {
        // Most text has none of the bytes that are part of such characters.
        guard text.contains(where: { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 >= 0x7F }) else { return text }
        return Array(PrintableText.lines(String(decoding: text, as: UTF8.self), keepsStyles: isColoured).utf8)
    }

    /// Returns a text in which commands to the service that runs this job, if any does, have a space.
    private static func withSpaces(_ text: [UInt8]) -> [UInt8] {
        isJob ? withoutCommands(text) { [UInt8(ascii: " "), $0] } : text
    }

    /// Returns a text in which the character that completes the prefix of a command is replaced: `::` at the start of a
    /// line, `##[`, `##vso[`, `##teamcity[`, `section_start:` and `section_end:`.
    ///
    /// GitHub's runner skips white space at the start of a line, and also ends a line at a carriage return.
    private static func withoutCommands(
        _ text: [UInt8],
        exceptGitHub: Bool = false,
        _ replacement: (UInt8) -> [UInt8]
    ) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        // Where the current line has its first visible ASCII character.
        var start = 0
        for (index, byte) in text.enumerated() {
            let line = text[start..<index]
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): start = index + 1
            case UInt8(ascii: "[") where ["##", "##vso", "##teamcity"].contains(where: line.ends),
                UInt8(ascii: ":") where !exceptGitHub && line.elementsEqual(":".utf8),
                UInt8(ascii: ":") where line.ends(with: "section_start") || line.ends(with: "section_end"):
                result += replacement(byte)
                continue
            case _ where line.isEmpty && !(0x21...0x7E).contains(byte): start = index + 1
            default: break
            }
            result.append(byte)
        }
        return result
    }

    /// Returns JSON without characters that control terminals or the direction of text. They occur only in strings.
    private static func withEscapes(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        var result = ""
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            guard scalar.value >= 0x7F, PrintableText.steers(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return Array(result.utf8)
    }
}

extension ArraySlice<UInt8> {
    /// Whether the last bytes are those of an ASCII text, in upper or lower case.
    fileprivate func ends(with text: String) -> Bool {
        count >= text.utf8.count
            && zip(suffix(text.utf8.count), text.utf8).allSatisfy {
                $0 == $1 || $0 | 0x20 == $1 && (0x61...0x7A).contains($1)
            }
    }
}
