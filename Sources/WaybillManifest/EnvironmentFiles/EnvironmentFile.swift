package import WaybillDiagnostics
import WaybillRuntime

/// A file of environment variables, as `--env-file` takes.
///
/// ```
/// # A comment.
/// NAME=value             # Behind white space, # begins a comment.
/// export OTHER = value
/// LITERAL='as it is: $ \ and "'
/// ESCAPES="a \"quote\", a dollar \$, a tab \t,
/// and a second line"
/// ```
///
/// - Nothing is put in for `$NAME`: what looks like it is kept as it is, with a warning outside single quotes.
/// - In double quotes `\n`, `\r`, `\t`, `\"`, `\\` and `\$` are escapes, and there are no others. A value in quotes may
///   go over several lines; CR LF in it becomes LF.
/// - White space around a value belongs to it only in quotes.
/// - Where a name comes again, the last value counts.
package enum EnvironmentFile {
    /// The greatest size of a file, in bytes.
    package static let maximumBytes = 16 << 20

    /// The variables of the file at a path, `-` for standard input.
    ///
    /// There are variables exactly when there is no error among the findings. What a finding shows of the file are names
    /// only, since values are secrets more often than not.
    package static func read(_ path: String) -> (variables: [String: String]?, diagnostics: [Diagnostic]) {
        do {
            let bytes = try FileContents.read(path, limit: maximumBytes, acceptsPipes: true)
            return parse(bytes, name: path == "-" ? "<standard input>" : path)
        } catch {
            return (nil, [error.diagnostic(of: "file of environment variables")])
        }
    }

    /// The variables of a text.
    ///
    /// - Parameter name: What the file is called in findings.
    package static func parse(
        _ bytes: [UInt8],
        name: String
    ) -> (variables: [String: String]?, diagnostics: [Diagnostic]) {
        var parser = EnvironmentFileParser(bytes)
        parser.parse()
        guard !parser.findings.isEmpty else { return (parser.variables, []) }
        let shown = SourceFile(name: name, bytes: MaskedText.mask(bytes, except: parser.shown))
        let diagnostics = parser.findings.map { finding in
            Diagnostic(
                finding.id,
                finding.headline,
                severity: finding.severity,
                at: shown.span(finding.range),
                help: finding.help.map { [$0] } ?? []
            )
        }
        return (diagnostics.hasErrors ? nil : parser.variables, diagnostics)
    }
}
