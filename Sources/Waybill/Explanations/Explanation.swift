package import WaybillDiagnostics

/// A page about one kind of finding: what it means, why it matters, and examples of wrong and right.
///
/// A topic is a file with a list of pages; `all` puts the topics together. Every example is run by a test: the wrong one
/// has exactly this finding, the right one none.
package struct Explanation: Sendable {
    /// The kind of finding.
    package let id: DiagnosticID
    /// What is wrong, in one line without a full stop.
    package let title: String
    /// Paragraphs, an empty line between them; other line breaks mean nothing.
    package let text: String
    /// Absent where nothing that can be written down shows the finding, such as a network that fails.
    package let example: Example?

    /// Something wrong, and the same put right.
    package struct Example: Sendable {
        /// What shows the finding.
        package let wrong: Sample
        /// The same without it.
        package let right: Sample
    }

    /// Files and what is done with them.
    package struct Sample: Sendable {
        /// The files, by their paths.
        package let files: [(name: String, text: String)]
        /// A command line for a shell.
        package let command: String
    }

    /// The command that most samples are for.
    package static let usualCommand = "waybill validate manifest.yaml"

    /// A page whose example is a file.
    ///
    /// - Parameters:
    ///   - wrong: The file as it should not be.
    ///   - right: The file put right.
    ///   - file: Its path.
    ///   - command: What is done with it.
    ///   - besides: Files that both samples need.
    init(
        _ id: DiagnosticID,
        _ title: String,
        _ text: String,
        wrong: String,
        right: String,
        in file: String = "manifest.yaml",
        command: String = Explanation.usualCommand,
        besides: [(name: String, text: String)] = []
    ) {
        func sample(_ text: String) -> Sample { Sample(files: [(file, text)] + besides, command: command) }
        self.init(id, title, text, Example(wrong: sample(wrong), right: sample(right)))
    }

    /// A page whose example is a command line, wrong and right, with files that both need.
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

    /// A page with any example, or none.
    init(_ id: DiagnosticID, _ title: String, _ text: String, _ example: Example? = nil) {
        self.id = id
        self.title = title
        self.text = text
        self.example = example
    }
}

extension Explanation {
    /// Every page, in the order of ids.
    package static let all: [Explanation] =
        [
            files, data, yaml, shape, values, connections, names, expressionNames, nesting, definitions, requests,
            contradictions, inputs, expressions, steps, secrets, failures,
        ]
        .flatMap { $0 }
        .sorted { $0.id.name < $1.id.name }

    /// The page about a kind of finding.
    package static func of(_ id: DiagnosticID) -> Explanation? { byID[id] }

    /// The text as paragraphs, each on one line.
    package var paragraphs: [String] {
        text.split(separator: "\n\n").map { $0.split(separator: "\n").joined(separator: " ") }
    }

    private static let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
}
