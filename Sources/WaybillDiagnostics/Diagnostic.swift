/// An error or warning for the author of a text: what is wrong, where, and what to do about it.
///
/// The rule that reports it defines the messages; a renderer lays them out. A function that does not know the location
/// throws it without one, which its caller adds.
package struct Diagnostic: Error, Equatable {
    /// Whether the text can be used.
    package enum Severity: String, Sendable, Comparable {
        /// The text can be used, but probably does not mean what its author intended.
        case warning
        /// The text cannot be used.
        case error

        /// A warning is less than an error.
        package static func < (left: Severity, right: Severity) -> Bool {
            left == .warning && right == .error
        }
    }

    /// A span with a short message.
    package struct Label: Sendable, Equatable {
        /// The text to underline.
        package var span: SourceSpan
        /// The message after the carets; may be empty.
        package var text: String

        /// Creates a label for a span.
        package init(_ span: SourceSpan, _ text: String = "") {
            self.span = span
            self.text = text.withoutLongWords
        }
    }

    /// The stable id.
    package var id: DiagnosticID
    /// Whether it is an error or a warning.
    package var severity: Severity
    /// What is wrong, in one sentence without a full stop.
    package var headline: String
    /// The primary location. `nil` only if there is no text, as for a file that does not exist, or if it is not known yet.
    package var primary: Label?
    /// Other locations that it refers to: “first defined here”.
    package var secondary: [Label]
    /// What to do about it: whole sentences.
    package var help: [String]
    /// The help for programs that use the library, if `help` names commands or options.
    package var programHelp: [String]?
    /// The names that would be valid at the primary location, if the error is an unknown name: what an editor can complete; or
    /// the inputs that a call is missing.
    package var validNames: [String] = []

    /// Creates a diagnostic; see the properties.
    package init(
        _ id: DiagnosticID,
        _ headline: String,
        severity: Severity = .error,
        at span: SourceSpan? = nil,
        label: String = "",
        secondary: [Label] = [],
        help: [String] = [],
        programHelp: [String]? = nil
    ) {
        self.id = id
        self.severity = severity
        self.headline = headline.withoutLongWords.cut(after: 1_000)
        self.primary = span.map { Label($0, label) }
        self.secondary = secondary
        self.help = help.map(\.withoutLongWords)
        self.programHelp = programHelp?.map(\.withoutLongWords)
    }
}

extension String {
    /// The message with the start of each name that is so long that nobody reads it. The redactor relies on the `…`.
    fileprivate var withoutLongWords: String {
        let limit = 200
        guard utf8.count > limit else { return self }
        return unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).map { word in
            word.count > limit ? String(word.prefix(limit)) + (word.last == "'" ? "…'" : "…") : String(word)
        }.joined(separator: " ")
    }

    fileprivate func cut(after limit: Int) -> String {
        guard utf8.count > limit, unicodeScalars.count > limit else { return self }
        return String(unicodeScalars.prefix(limit)) + "…"
    }
}

/// The stable id of a kind of diagnostic, such as `unknown-endpoint`. Tools match on it, so its meaning never changes.
package struct DiagnosticID: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name: lower-case words joined by hyphens.
    package let name: String

    /// Creates an id from a literal, which is not checked.
    package init(stringLiteral name: String) {
        self.name = name
    }

    /// The name, as messages show it in brackets.
    package var description: String { name }
}

extension [Diagnostic] {
    /// Adds a diagnostic; see its properties.
    package mutating func report(
        _ id: DiagnosticID,
        _ headline: String,
        severity: Diagnostic.Severity = .error,
        at span: SourceSpan?,
        label: String = "",
        secondary: [Diagnostic.Label] = [],
        help: [String] = [],
        programHelp: [String]? = nil
    ) {
        append(
            Diagnostic(
                id,
                headline,
                severity: severity,
                at: span,
                label: label,
                secondary: secondary,
                help: help,
                programHelp: programHelp
            )
        )
    }

    /// Whether any of the diagnostics is an error.
    package var hasErrors: Bool { contains { $0.severity == .error } }

    /// The diagnostics in the order of their primary locations; those without a location come first.
    ///
    /// Files keep the order in which they first appear among the diagnostics.
    package func sortedByLocation() -> [Diagnostic] {
        var fileOrder: [SourceFile: Int] = [:]
        for file in compactMap({ $0.primary?.span.file }) where fileOrder[file] == nil {
            fileOrder[file] = fileOrder.count
        }
        func key(_ diagnostic: Diagnostic) -> (Int, Int, Int) {
            guard let span = diagnostic.primary?.span else { return (-1, 0, 0) }
            return (fileOrder[span.file] ?? 0, span.range.lowerBound, span.range.upperBound)
        }
        return sorted { key($0) < key($1) }
    }

    /// Returns the diagnostics for a report of manageable length: for each id only the first thousand, followed at the
    /// end of the report by one that counts the others.
    package func limitingRepeats(to limit: Int = 1_000) -> [Diagnostic] {
        var counts: [DiagnosticID: Int] = [:]
        var omitted: [Diagnostic] = []
        let shown = filter { diagnostic in
            let count = counts[diagnostic.id, default: 0] + 1
            counts[diagnostic.id] = count
            if count == limit + 1 { omitted.append(diagnostic) }
            return count <= limit
        }
        return shown
            + omitted.map { first in
                let count = (counts[first.id] ?? 0) - limit
                let noun = count == 1 ? "diagnostic" : "diagnostics"
                return Diagnostic(first.id, "\(count) more \(noun) of this kind", severity: first.severity, at: nil)
            }
    }

    /// Returns the diagnostics without those that repeat another one at the same location, as when several manifests
    /// include the same file.
    package func withoutRepetitions() -> [Diagnostic] {
        var seen: Set<Statement> = []
        return filter {
            let (span, help) = ($0.primary?.span, $0.help.joined(separator: "\n"))
            // What has no location is the same only if its help is.
            return seen.insert(
                Statement(id: $0.id, headline: $0.headline, file: span?.file.name ?? help, range: span?.range ?? 0..<0)
            ).inserted
        }
    }
}

/// The content and location of a diagnostic, regardless of which reading of the file reported it.
private struct Statement: Hashable {
    var id: DiagnosticID
    var headline: String
    var file: String
    var range: Range<Int>
}

extension Diagnostic {
    /// The headline followed by the label, for output that does not show the source.
    package var statement: String {
        guard let label = primary?.text, !label.isEmpty else { return headline }
        return "\(headline) (\(label))"
    }
}
