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
        var parser = EnvironmentFileParser(bytes)
        parser.parse()
        guard !parser.diagnostics.isEmpty else { return (parser.variables, []) }
        let shown = SourceFile(name: name, bytes: MaskedText.mask(bytes, except: parser.shown))
        let diagnostics = parser.diagnostics.map { diagnostic in
            Diagnostic(
                diagnostic.id,
                diagnostic.headline,
                severity: diagnostic.severity,
                at: shown.span(diagnostic.range),
                help: diagnostic.help.map { [$0] } ?? []
            )
        }
        return (diagnostics.hasErrors ? nil : parser.variables, diagnostics)
    }
}
