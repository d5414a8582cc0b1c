import WaybillDiagnostics

extension Diagnostic {
    /// The diagnostic with help for programs: what the command line offers is replaced by what the library does, or left
    /// out.
    var forPrograms: Diagnostic {
        guard help.contains(where: Self.isOfCommandLine) else { return self }
        var copy = self
        copy.help.removeAll(where: Self.isOfCommandLine)
        copy.help += Self.helpForPrograms[id.name].map { [$0] } ?? []
        return copy
    }

    private static func isOfCommandLine(_ help: String) -> Bool {
        help.contains(" --") || help.hasPrefix("--") || help.contains("waybill ")
    }

    /// The help of the library by the id of a diagnostic.
    private static let helpForPrograms = [
        "unsafe-repeat":
            "With 'repeatsUnsure: true', the run sends it again, which may do its work twice. Alternatively, start a new run.",
        "missing-input": "Pass it in 'inputs', or give it a default.",
        "missing-secret": "Return it from 'secrets' in the options of the run, or set the variable.",
        "outside-folder": "Pass 'allowsOutside: true' if this is intended.",
    ]
}

extension [ManifestDiagnostic] {
    /// The diagnostics with source lines, and a summary line.
    var document: String { HumanRenderer().document(for: map(\.diagnostic)) }
}
