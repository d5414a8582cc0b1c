import CExplanations
package import WaybillDiagnostics

/// A page about one diagnostic id: what it means, why it matters, and a wrong and a right example.
///
/// A page is a file of `Sources/CExplanations/pages`, named by its id, and has these parts, with an empty line between them:
///
/// - `# ID: TITLE`
/// - Paragraphs, in plain text. Their line breaks have no meaning.
/// - Fenced blocks with what an example consists of. After the fence follow a language, the path of the file unless it is
///   `manifest.yaml`, and `wrong` or `right` unless both examples have the block: `` ```json inputs.json wrong ``.
///   The language `sh` marks the command; without one, it is `waybill validate manifest.yaml`.
///
/// A test runs every example: the wrong one has exactly this diagnostic, the right one has none.
package struct Explanation: Sendable {
    package let id: DiagnosticID
    /// A description of the error, in one line without a full stop.
    package let title: String
    /// The paragraphs, each on one line.
    package let paragraphs: [String]
    /// The example; `nil` if none can show the diagnostic, such as for a network failure.
    package let example: Example?

    /// A wrong and a right version of the same files and command.
    package struct Example: Sendable {
        /// The version with the diagnostic.
        package let wrong: Sample
        /// The version without it.
        package let right: Sample
    }

    /// Files and a command that uses them.
    package struct Sample: Sendable {
        /// The files, by their paths.
        package let files: [(name: String, text: String)]
        /// A command line for a shell.
        package let command: String
    }

    /// The command of most samples.
    package static let usualCommand = "waybill validate manifest.yaml"
}

extension Explanation {
    /// Every page, ordered by id.
    package static let all: [Explanation] = {
        let pages = explanation_pages()
        return unsafe Array(UnsafeBufferPointer(start: pages.bytes, count: pages.size))
            .split(separator: 0)
            .map(Explanation.init(page:))
            .sorted { $0.id.name < $1.id.name }
    }()

    /// Returns the page about an id.
    package static func of(_ id: DiagnosticID) -> Explanation? { byID[id] }

    private static let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }

    /// Reads a page.
    private init(page: ArraySlice<UInt8>) {
        var lines = page.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }[...]
        let heading = lines.removeFirst().dropFirst("# ".count).split(separator: ": ", maxSplits: 1).map(String.init)
        var paragraphs: [String] = []
        var blocks: [(info: [String], text: String)] = []
        while let line = lines.popFirst() {
            if line.hasPrefix("```") {
                let content = lines.prefix { $0 != "```" }
                lines = lines.dropFirst(content.count + 1)
                let info = line.dropFirst("```".count).split(separator: " ").map(String.init)
                blocks.append((info, content.joined(separator: "\n")))
            } else if !line.isEmpty {
                let rest = lines.prefix { !$0.isEmpty }
                lines = lines.dropFirst(rest.count)
                paragraphs.append(([line] + rest).joined(separator: " "))
            }
        }
        func sample(without other: String) -> Sample {
            let own = blocks.filter { $0.info.last != other }
            return Sample(
                files: own.filter { $0.info.first != "sh" }.map { block in
                    (block.info.dropFirst().first { !["wrong", "right"].contains($0) } ?? "manifest.yaml", block.text)
                },
                command: own.first { $0.info.first == "sh" }?.text ?? Self.usualCommand
            )
        }
        id = DiagnosticID(stringLiteral: heading.first ?? "")
        title = heading.dropFirst().joined()
        self.paragraphs = paragraphs
        example = blocks.isEmpty ? nil : Example(wrong: sample(without: "right"), right: sample(without: "wrong"))
    }
}
