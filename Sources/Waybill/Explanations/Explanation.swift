package import WaybillDiagnostics

/// A page about one diagnostic id: what it means, why it matters, and a wrong and a right example.
///
/// A topic is a file with a list of pages; `all` contains the pages of all topics. A test runs every example: the wrong one has
/// exactly this diagnostic, the right one has none.
package struct Explanation: Sendable {
    /// The id.
    package let id: DiagnosticID
    /// A description of the error, in one line without a full stop.
    package let title: String
    /// Paragraphs separated by empty lines; other line breaks have no meaning.
    package let text: String
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

    /// Creates a page whose example is a file.
    ///
    /// - Parameters:
    ///   - wrong: The wrong text of the file.
    ///   - right: The right text of the file.
    ///   - file: Its path.
    ///   - command: The command that uses it.
    ///   - files: Files that both samples need.
    init(
        _ id: DiagnosticID,
        _ title: String,
        _ text: String,
        wrong: String,
        right: String,
        in file: String = "manifest.yaml",
        command: String = Explanation.usualCommand,
        files: [(name: String, text: String)] = []
    ) {
        func sample(_ text: String) -> Sample { Sample(files: [(file, text)] + files, command: command) }
        self.init(id, title, text, Example(wrong: sample(wrong), right: sample(right)))
    }

    /// Creates a page whose example is a command line, wrong and right, with files that both need.
    init(
        _ id: DiagnosticID,
        _ title: String,
        _ text: String,
        wrongCommand: String,
        rightCommand: String,
        files: [(name: String, text: String)] = []
    ) {
        let wrong = Sample(files: files, command: wrongCommand)
        self.init(id, title, text, Example(wrong: wrong, right: Sample(files: files, command: rightCommand)))
    }

    /// Creates a page with any example, or none.
    init(_ id: DiagnosticID, _ title: String, _ text: String, _ example: Example? = nil) {
        self.id = id
        self.title = title
        self.text = text
        self.example = example
    }
}

extension Explanation {
    /// Every page, ordered by id.
    package static let all: [Explanation] =
        [
            files, data, yaml, shape, values, connections, names, expressionNames, nesting, definitions, requests,
            contradictions, inputs, expressions, steps, shards, states, secrets, failures,
        ]
        .flatMap { $0 }
        .sorted { $0.id.name < $1.id.name }

    /// Returns the page about an id.
    package static func of(_ id: DiagnosticID) -> Explanation? { byID[id] }

    /// The text as paragraphs, each on one line.
    package var paragraphs: [String] {
        text.split(separator: "\n\n").map { $0.split(separator: "\n").joined(separator: " ") }
    }

    private static let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
}
