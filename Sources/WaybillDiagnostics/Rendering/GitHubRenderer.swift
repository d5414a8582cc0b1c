/// Writes diagnostics as workflow commands of GitHub Actions, one per line, which annotate lines of a change.
///
/// ```
/// ::error file=a.yaml,line=52,endLine=52,col=19,endColumn=26,title=unknown-endpoint::no endpoint is named 'shedule'
/// ```
package struct GitHubRenderer: DiagnosticRenderer {
    /// How files are named.
    private let paths: GitHubPaths

    package init(_ paths: GitHubPaths = GitHubPaths()) {
        self.paths = paths
    }

    /// Returns a workflow command for each diagnostic, each ending in a line break; an empty string for no
    /// diagnostics. Line breaks and `%` in messages are escaped as GitHub requires.
    package func document(for diagnostics: [Diagnostic]) -> String {
        diagnostics.map(command).joined()
    }

    private func command(for diagnostic: Diagnostic) -> String {
        var properties: [(name: String, value: String)] = []
        if let span = diagnostic.primary?.span {
            let (start, end) = (span.start, span.end)
            properties = [
                ("file", paths.path(of: span.file.name)), ("line", "\(start.line)"), ("endLine", "\(end.line)"),
            ]
            // GitHub rejects columns for a range of several lines.
            if start.line == end.line { properties += [("col", "\(start.column)"), ("endColumn", "\(end.column)")] }
        }
        properties.append(("title", diagnostic.id.name))
        return Self.command(diagnostic.severity.rawValue, properties, Self.message(of: diagnostic))
    }

    /// Returns a workflow command.
    ///
    /// - Parameters:
    ///   - name: The command: `error`, `warning` or `notice`.
    ///   - properties: The location and the title, with GitHub's names.
    ///   - message: The message, which may have several lines.
    package static func command(
        _ name: String,
        _ properties: [(name: String, value: String)],
        _ message: String
    ) -> String {
        let text = properties.map { "\($0.name)=\(escaped($0.value, isProperty: true))" }.joined(separator: ",")
        return "::\(name) \(text)::\(escaped(message, isProperty: false))\n"
    }

    /// Returns the headline, the other locations and the help, because GitHub shows nothing else.
    private static func message(of diagnostic: Diagnostic) -> String {
        let locations = diagnostic.secondary.map { "\($0.span.description)\($0.text.isEmpty ? "" : ": \($0.text)")" }
        return ([diagnostic.statement] + locations + diagnostic.help).map(PrintableText.oneLine).joined(separator: "\n")
    }

    private static func escaped(_ text: String, isProperty: Bool) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            case ":" where isProperty: result += "%3A"
            case "," where isProperty: result += "%2C"
            case _ where PrintableText.steers(scalar) && scalar != "\t": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
