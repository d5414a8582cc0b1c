import WaybillPipeline
import WaybillPlatform
import WaybillRuntime

/// The words of a command line that a shell completes.
///
/// Shells pass words as they are written, with quotes and backslashes. Variables and command substitutions stay as they
/// are, because nothing on an unfinished command line may be executed.
package struct CommandWords: Sendable {
    /// The words after the command and its subcommands; `nil` for the word that is completed.
    private let rest: [String?]
    /// The part of the completed word that is before the cursor; for `--option=VALUE`, that of the value.
    package let prefix: String

    /// The options whose value is the next word.
    private let valueOptions: Set<String>

    /// Creates the words of a command line.
    ///
    /// - Parameters:
    ///   - words: All words, with the name of the program.
    ///   - index: The index of the word to complete.
    ///   - prefix: The part of this word that is before the cursor.
    ///   - depth: The number of words that name the program, the command and its subcommands.
    ///   - valueOptions: The options whose value is the next word, such as `--env`.
    package init(_ words: [String], at index: Int, prefix: String, depth: Int, valueOptions: Set<String>) {
        rest = words.enumerated().dropFirst(depth).map { $0.offset == index ? nil : Self.unquoted($0.element) }
        let option = valueOptions.first { prefix.hasPrefix("\($0)=") }
        self.prefix = Self.unquoted(option.map { String(prefix.dropFirst($0.count + 1)) } ?? prefix)
        self.valueOptions = valueOptions
    }

    /// The words that are neither options nor values of options.
    package var arguments: [String] {
        var arguments: [String] = []
        var isValue = false
        for (index, word) in rest.enumerated() {
            if word == "--", !isValue { return arguments + rest[(index + 1)...].compactMap(\.self) }
            if let word, !isValue, !word.hasPrefix("-") { arguments.append(word) }
            isValue = !isValue && word.map(valueOptions.contains) ?? false
        }
        return arguments
    }

    /// The paths of the manifests and folders that the words name; the default manifest if they name none. Only files
    /// and folders that exist are returned, so that no pipe is read.
    package var manifestPaths: [String] {
        let named = arguments
        return (named.isEmpty ? [ManifestFinder.usual] : named).filter { path in
            switch (try? FileStatus(of: path))?.kind {
            case .file, .folder: true
            default: false
            }
        }
    }

    /// Whether the words contain a flag.
    package func has(_ flag: String) -> Bool { rest.contains(flag) }

    /// The values of an option.
    package func values(of option: String) -> [String] {
        let start = option + "="
        return zip(rest, rest.dropFirst()).filter { $0.0 == option }.compactMap(\.1)
            + rest.compactMap(\.self).filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }

    /// Returns a word without the shell's quotes and backslashes, and with the home folder for `~/`.
    static func unquoted(_ word: String) -> String {
        var result = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                // In double quotes, a backslash is kept before other characters.
                if quote == "\"", !"\"\\$`".contains(character) { result.append("\\") }
                result.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { result.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
            } else {
                result.append(character)
            }
        }
        guard word.hasPrefix("~/"), let home = environmentVariable("HOME") else { return result }
        return home + result.dropFirst()
    }
}
