package import WaybillDiagnostics
import WaybillExpressions
package import WaybillJSON

/// A file with the values of a manifest's inputs, for `--inputs`: a JSON or YAML object of names and values.
package struct InputsFile: Sendable {
    /// The values by input name.
    package let values: JSONObject
    private let document: DataDocument

    /// The maximum size of a file in bytes.
    private static let maximumBytes = 64 << 20

    /// Reads the file at a path, or standard input for `-`.
    ///
    /// The file is `nil` exactly if the diagnostics contain an error.
    package static func read(_ path: String) -> (file: InputsFile?, diagnostics: [Diagnostic]) {
        if RecordFormats.readable(ofFile: path)?.isList == true {
            let diagnostic = Diagnostic(
                "inputs-format",
                "the inputs file \(path) does not have the extension of a JSON or YAML file",
                at: nil,
                help: ["An inputs file contains one object with the names of inputs and their values."]
            )
            return (nil, [diagnostic])
        }
        let file: DataFile
        do {
            file = try DataFile.read(path, limit: maximumBytes, acceptsPipes: true)
        } catch {
            return (nil, [error.diagnostic(of: "inputs file")])
        }
        var found: DataDocument?
        var diagnostics = file.forEachDocument {
            found = $0
            return true
        }
        // `NAME=some: value` is an object in YAML.
        if found?.value.object?.allSatisfy({ !$0.name.contains("=") }) != true,
            let diagnostic = environmentDiagnostic(path)
        {
            return (nil, [diagnostic])
        }
        guard let document = found, !diagnostics.hasErrors else { return (nil, masked(diagnostics, of: file)) }
        guard let values = document.value.object else {
            diagnostics.report(
                "inputs-format",
                "expected an object of input names and values, found \(document.value.kind.phrase)",
                at: document.locations(of: []).span
            )
            return (nil, masked(diagnostics, of: file))
        }
        return (InputsFile(values: values, document: document), diagnostics)
    }

    /// Returns the diagnostics without the text of the file, because a file that is not an object of inputs may contain
    /// secrets: its lines are masked, and sentences that quote it are replaced or left out.
    private static func masked(_ diagnostics: [Diagnostic], of file: DataFile) -> [Diagnostic] {
        let shown = SourceFile(name: file.name, bytes: MaskedText.mask(file.bytes, except: []))
        func quotes(_ text: String) -> Bool { text.contains { "'\"`".contains($0) } }
        return diagnostics.map { diagnostic in
            var diagnostic = diagnostic.moved(to: shown)
            if quotes(diagnostic.headline) { diagnostic.headline = "the inputs file is not valid JSON or YAML" }
            diagnostic.help.removeAll(where: quotes)
            if quotes(diagnostic.primary?.text ?? "") { diagnostic.primary?.text = "" }
            for index in diagnostic.secondary.indices where quotes(diagnostic.secondary[index].text) {
                diagnostic.secondary[index].text = ""
            }
            return diagnostic
        }
    }

    /// Returns the diagnostic for a file that contains environment variables instead. Its lines are often secrets and
    /// are not shown.
    private static func environmentDiagnostic(_ path: String) -> Diagnostic? {
        guard path != "-", let variables = EnvironmentFile.read(path).variables, !variables.isEmpty else { return nil }
        return Diagnostic(
            "inputs-format",
            "expected a JSON or YAML object in the inputs file \(path), found NAME=VALUE lines",
            at: nil,
            help: ["Use --env-file to read a file of environment variables."]
        )
    }

    /// Returns the locations of the values that the pointers refer to. The first token of each pointer is the name of
    /// an input.
    package func locations(of pointers: some Sequence<JSONPointer>) -> any DocumentLocations {
        document.locations(of: pointers)
    }
}
