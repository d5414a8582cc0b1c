import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// The values of a manifest's inputs: from the command line, an environment variable, an environment or the default.
struct InputResolution {
    /// The values, in the order of the declarations.
    private(set) var values = JSONObject()
    /// What is wrong with what was given.
    private(set) var diagnostics: [Diagnostic] = []

    init(manifest: Manifest, options: PlanOptions) {
        for (name, _) in options.inputs where manifest.inputs[name] == nil {
            let known = manifest.inputs.keys
            let help =
                NearestName.of(name, among: known).map { "Did you mean '\($0)'?" }
                ?? (known.isEmpty
                    ? "The manifest takes no inputs." : "The inputs are \(known.joined(separator: ", ")).")
            diagnostics.append(Diagnostic("unknown-input", "no input is named '\(name)'", at: nil, help: [help]))
        }
        for (name, definition) in manifest.inputs {
            let input = definition.value
            let given = options.inputs.last { $0.name == name }?.text
            if let text = given ?? input.environmentVariable.flatMap({ options.variables[$0] }) {
                let value = Self.value(of: text, for: input)
                if let violation = input.schema.validate(value).first {
                    diagnostics.append(
                        Diagnostic(
                            "invalid-input",
                            "the value given for input '\(name)' \(violation.message)",
                            at: definition.name.span,
                            label: "declared here"
                        )
                    )
                }
                values[name] = value
            } else if let value = input.defaultValue {
                values[name] = value
            } else {
                diagnostics.append(
                    Diagnostic(
                        "missing-input",
                        "input '\(name)' has no value",
                        at: definition.name.span,
                        help: ["Give one with --input \(name)=VALUE, or give it a default."]
                    )
                )
            }
        }
    }

    /// A value from a text: read as JSON where the schema wants something else than a string, and it is that.
    private static func value(of text: String, for input: InputDeclaration) -> JSON {
        let string = JSON.string(text)
        if input.types == ["string"] { return string }
        guard let value = try? JSONParser().parse(Array(text.utf8)) else { return string }
        if input.types.isEmpty || !input.types.contains("string") { return value }
        return value.kind != .string && input.schema.isValid(value) ? value : string
    }
}
