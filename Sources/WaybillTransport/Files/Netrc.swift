package import WaybillRuntime

/// The credentials in a `.netrc` file, by host.
///
/// The format is that of curl's `--netrc-file`: words separated by white space, `"…"` around words with spaces, comments
/// from `#` to the end of the line, and `macdef` with all lines up to an empty one.
package struct Netrc: Sendable, Hashable {
    /// A login with its password.
    package struct Entry: Sendable, Hashable {
        /// The host; `nil` for the entry of all other hosts (`default`).
        package let machine: String?
        /// The user's name.
        package internal(set) var login = ""
        /// The password.
        package internal(set) var password = ""
    }

    /// The path of the file.
    package let path: String
    private let entries: [Entry]
    private let hasWords: Bool

    /// The maximum size of a file, in bytes.
    private static let maximumBytes = 1 << 20

    /// Reads a file.
    package init(reading file: LocalFile) throws(FileError) {
        let bytes = try file.read(limit: Self.maximumBytes)
        self.init(path: file.path, text: String(decoding: bytes, as: UTF8.self))
    }

    /// Parses the credentials in the text of a file.
    package init(path: String, text: String) {
        self.path = path
        var words = NetrcWords(text)
        var hasWords = false
        var entries: [Entry] = []
        while let word = words.next() {
            hasWords = true
            switch word.lowercased() {
            case "machine":
                guard let machine = words.next() else { break }
                entries.append(Entry(machine: machine))
            case "default": entries.append(Entry(machine: nil))
            case "login": if let login = words.next(), !entries.isEmpty { entries[entries.count - 1].login = login }
            case "password":
                if let password = words.next(), !entries.isEmpty { entries[entries.count - 1].password = password }
            case "account": _ = words.next()
            case "macdef": words.skipMacro()
            default: break
            }
        }
        self.entries = entries
        self.hasWords = hasWords
    }

    /// Whether the file has an entry or no words at all. A file with only other words is not a netrc file.
    package var isPlausible: Bool { !entries.isEmpty || !hasWords }

    /// All passwords.
    package var passwords: [String] { entries.map(\.password).filter { !$0.isEmpty } }

    /// The first entry of a host, or else that of all other hosts if `orDefault` is set.
    package func entry(of host: String, orDefault: Bool) -> Entry? {
        let host = host.lowercased()
        return entries.first { $0.machine?.lowercased() == host }
            ?? (orDefault ? entries.first { $0.machine == nil } : nil)
    }
}

/// The words of a netrc file.
private struct NetrcWords {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        rest = Substring(text).unicodeScalars
    }

    /// The next word; `nil` at the end.
    mutating func next() -> String? {
        while let first = rest.first {
            if Self.isSpace(first) {
                rest.removeFirst()
            } else if first == "#" {
                rest = rest.drop { $0 != "\n" }
            } else if first == "\"" {
                rest.removeFirst()
                return quoted()
            } else {
                let word = rest.prefix { !Self.isSpace($0) }
                rest = rest[word.endIndex...]
                return String(word)
            }
        }
        return nil
    }

    /// Skips a macro: its name and all lines up to an empty one.
    mutating func skipMacro() {
        while !rest.isEmpty {
            let line = rest.prefix { $0 != "\n" }
            rest = rest[line.endIndex...].dropFirst()
            if rest.first == "\n" || rest.starts(with: ["\r", "\n"]) { return }
        }
    }

    /// The rest of a word in quotation marks, in which `\\n`, `\\r` and `\\t` are control characters.
    private mutating func quoted() -> String {
        var word = String.UnicodeScalarView()
        while let next = rest.popFirst(), next != "\"" {
            guard next == "\\", let escaped = rest.popFirst() else {
                word.append(next)
                continue
            }
            switch escaped {
            case "n": word.append("\n")
            case "r": word.append("\r")
            case "t": word.append("\t")
            default: word.append(escaped)
            }
        }
        return String(word)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 }
}
