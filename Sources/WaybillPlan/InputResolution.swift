import OrderedCollections
package import WaybillDiagnostics
import WaybillJSON
package import WaybillManifest
import WaybillSchema

/// The values of a manifest's inputs.
///
/// An input takes its value from the first of these sources that has one: the program that uses the library, `--input`,
/// the last file of `--inputs` that names it, the environment variable that its declaration names, the environment that
/// is applied to the manifest, its default.
struct InputResolution {
    /// The values, in the order of the declarations.
    private(set) var values = JSONObject()
    /// Errors in the given values, and missing values.
    private(set) var diagnostics: [Diagnostic] = []

    /// The maximum number of diagnostics for one value.
    private static let maximumFaults = 100

    /// Resolves the inputs.
    ///
    /// - Parameters:
    ///   - others: The names of other inputs that may have values; `nil` if any may.
    ///   - isRequired: Whether it is an error when the input of a name has no value.
    init(
        manifest: Manifest,
        options: PlanOptions,
        others: Set<String>? = [],
        isRequired: (String) -> Bool = { _ in true }
    ) {
        if let others {
            let others = others.union(options.suiteInputs ?? [])
            diagnostics += Self.unknownNames(of: manifest, others, options: options)
            diagnostics += options.inputFiles.flatMap {
                $0.unknownInputs(of: manifest, others, ofSuite: options.suiteInputs)
            }
        }
        reportVariablesBeyondUTF8(of: manifest, options)

        for (name, definition) in manifest.inputs {
            let input = definition.value
            let given = Self.given(name, for: input, options)
            if let value = options.earlierInputs[name] {
                take(value, for: definition, givenBy: "when the run started")
                if let given, given.value.isNestedTooDeep || given.value != value {
                    diagnostics.report(
                        "invalid-input",
                        "the run was started with another value for input '\(name)'",
                        at: definition.name.span,
                        help: ["A run is continued with its own inputs. Leave out the value, or start a new run."]
                    )
                }
            } else if let given, let file = given.file {
                values[name] = given.value
                diagnostics += file.faults(of: given.value, for: definition, limit: Self.maximumFaults)
            } else if let given, given.value.isNestedTooDeep {
                diagnostics.report(
                    "invalid-input",
                    "the value given for input '\(name)' \(given.source) is nested more than \(JSON.greatestDepth) levels deep",
                    at: definition.name.span,
                    label: "declared here"
                )
            } else if let given {
                take(given.value, for: definition, givenBy: given.source)
            } else if let variable = input.environmentVariable, let text = options.variables[variable] {
                report(variable, at: definition.name.span, ifBeyondUTF8: options)
                let value = Self.value(of: text, for: input)
                take(value, for: definition, givenBy: "by the environment variable \(variable)")
            } else if let value = input.defaultValue {
                values[name] = value
            } else if options.requiresInputs, isRequired(name) {
                diagnostics.report(
                    "missing-input",
                    "input '\(name)' has no value",
                    at: definition.name.span,
                    help: ["Give one with --input \(name)=VALUE or in a file with --inputs, or give it a default."],
                    programHelp: ["Pass it in 'inputs', or give it a default."]
                )
            }
        }
    }

    /// Returns the value that the program, the command line or a file gives for an input; `nil` if none does.
    private static func given(
        _ name: String,
        for input: InputDeclaration,
        _ options: PlanOptions
    ) -> (value: JSON, source: String, file: InputsFile?)? {
        if let value = options.values[name] { return (value, "by the program", nil) }
        if let text = options.inputs.last(where: { $0.name.hasSameCodePoints(as: name) })?.text {
            return (value(of: text, for: input), "with --input", nil)
        }
        let file = options.inputFiles.last { $0.values[name] != nil }
        return file?.values[name].map { ($0, "in a file", file) }
    }

    /// Stores a value that has no location in a text, and reports where it violates its schema.
    private mutating func take(_ value: JSON, for definition: Definition<InputDeclaration>, givenBy source: String) {
        let name = definition.name.value
        values[name] = value
        for violation in definition.value.schema.validate(value, limit: Self.maximumFaults) {
            let whole = "the value given for input '\(name)' \(source)"
            let isWhole = violation.instanceLocation.tokens.isEmpty
            let subject = isWhole ? whole : "\(violation.instanceLocation) in \(whole)"
            diagnostics.report(
                "invalid-input",
                "\(subject) \(violation.message)",
                at: definition.name.span,
                label: "declared here"
            )
        }
    }

    /// Reports the variables of secrets, and of the inputs of endpoints and graphs, whose value is not UTF-8.
    private mutating func reportVariablesBeyondUTF8(of manifest: Manifest, _ options: PlanOptions) {
        guard !options.variablesBeyondUTF8.isEmpty else { return }
        for (_, secret) in manifest.secrets {
            if let variable = secret.value.variable { report(variable, at: secret.value.span, ifBeyondUTF8: options) }
        }
        let inputs =
            manifest.endpoints.values.flatMap(\.value.inputs.values)
            + manifest.graphs.values.flatMap(\.value.inputs.values)
        for input in inputs {
            if let variable = input.value.environmentVariable {
                report(variable, at: input.name.span, ifBeyondUTF8: options)
            }
        }
    }

    /// Reports a variable whose value would not be sent as it is in the environment.
    private mutating func report(_ variable: String, at span: SourceSpan, ifBeyondUTF8 options: PlanOptions) {
        guard options.variablesBeyondUTF8.contains(variable) else { return }
        diagnostics.report(
            "invalid-utf8",
            "the environment variable \(variable) is not valid UTF-8",
            at: span,
            help: ["Set it to a value in UTF-8."]
        )
    }

    private static func unknownNames(
        of manifest: Manifest,
        _ others: Set<String>,
        options: PlanOptions
    ) -> [Diagnostic] {
        let given = options.values.names.map { ($0, "the program") } + options.inputs.map { ($0.name, "--input") }
        return given.filter { manifest.inputs[$0.0] == nil && !others.contains($0.0) }.map { name, source in
            Diagnostic(
                "unknown-input",
                options.suiteInputs == nil
                    ? "no input of '\(manifest.file.name)' is named '\(name)', but \(source) gives it a value"
                    : "no manifest has an input named '\(name)', but \(source) gives it a value",
                at: nil,
                help: [
                    NearestName.of(name, among: Array(manifest.inputs.keys) + others.sorted())
                        .map { "Did you mean '\($0)'?" } ?? manifest.helpWithUnknownInput(name, options.suiteInputs)
                ]
            )
        }
    }

    /// Returns the value of a string. It is parsed as JSON if that is possible, unless the schema allows strings and
    /// the parsed value is a string or violates the schema.
    static func value(of text: String, for input: InputDeclaration) -> JSON {
        let string = JSON.string(text)
        if input.types == ["string"] { return string }
        guard let value = try? JSONParser().parse(Array(text.utf8)) else { return string }
        if input.types.isEmpty || !input.types.contains("string") { return value }
        return value.kind != .string && input.schema.isValid(value) ? value : string
    }
}

extension InputResolution {
    /// Resolves the inputs of a manifest and those that some of its graphs declare, for graphs that no step runs. The
    /// values of the inputs that only a graph declares have names such as `orders.day`.
    ///
    /// An input of a graph takes the value that is given for it, or that of the manifest's input of the same name, or
    /// its default.
    init(of graphs: [Int], in manifest: Manifest, options: PlanOptions) {
        let declared = graphs.map { manifest.graphs.values[$0] }
        let names = Set(declared.flatMap { $0.value.inputs.keys })
        self.init(manifest: manifest, options: options, others: names)
        guard !diagnostics.hasErrors else { return }
        for graph in declared where !graph.value.inputs.isEmpty {
            var own = manifest
            own.inputs = graph.value.inputs.filter { manifest.inputs[$0.key] == nil }
            let earlier = options.earlierInputs
            var options = options
            options.earlierInputs = JSONObject()
            for name in own.inputs.keys {
                options.earlierInputs[name] = earlier[Self.name(name, of: graph)]
            }
            let resolution = InputResolution(manifest: own, options: options, others: nil) { _ in false }
            diagnostics += resolution.diagnostics
            for (name, definition) in graph.value.inputs {
                if let value = manifest.inputs[name] == nil ? resolution.values[name] : values[name] {
                    guard manifest.inputs[name] != nil else {
                        values[Self.name(name, of: graph)] = value
                        continue
                    }
                    diagnostics += definition.value.schema.validate(value, limit: 1).map { violation in
                        Diagnostic(
                            "invalid-input",
                            "the value of input '\(name)' of graph '\(graph.name.value)' \(violation.message)",
                            at: definition.name.span,
                            label: "declared here"
                        )
                    }
                } else if options.requiresInputs, definition.value.defaultValue == nil {
                    diagnostics.report(
                        "missing-input",
                        "graph '\(graph.name.value)' requires the input '\(name)'",
                        at: definition.name.span,
                        help: ["Give it with --input \(name)=VALUE, or run a graph that runs this one."],
                        programHelp: ["Pass it in 'inputs', or run a graph that runs this one."]
                    )
                }
            }
        }
    }

    private static func name(_ input: String, of graph: Definition<Graph>) -> String { "\(graph.name.value).\(input)" }

    /// Returns the values of the inputs of a graph that no step runs.
    func values(of graph: GraphPlan) -> JSONObject {
        var own = JSONObject()
        for (name, definition) in graph.inputs {
            own[name] = values["\(graph.name).\(name)"] ?? values[name] ?? definition.value.defaultValue
        }
        return own
    }

    /// Returns the values of some inputs; without a value, the default.
    func values(of inputs: Definitions<InputDeclaration>) -> JSONObject {
        var own = JSONObject()
        for (name, definition) in inputs { own[name] = values[name] ?? definition.value.defaultValue }
        return own
    }
}

extension PlanBuilder {
    /// Returns the errors in the inputs that are given to a checked manifest. Missing inputs are not errors.
    package static func checkInputs(of manifest: Manifest, options: PlanOptions) -> [Diagnostic] {
        let others = Set(manifest.graphs.values.flatMap { $0.value.inputs.keys })
        return InputResolution(manifest: manifest, options: options, others: others) { _ in false }.diagnostics
    }
}

extension InputsFile {
    /// Reports the names in the file that are not inputs.
    fileprivate func unknownInputs(
        of manifest: Manifest,
        _ others: Set<String>,
        ofSuite suite: Set<String>?
    ) -> [Diagnostic] {
        let unknown = values.names.filter { manifest.inputs[$0] == nil && !others.contains($0) }
        guard !unknown.isEmpty else { return [] }
        let pointers = unknown.map { JSONPointer([.name($0)]) }
        let locations = self.locations(of: pointers)
        return zip(unknown, pointers).map { name, pointer in
            let span = locations.keySpan(at: pointer) ?? locations.span
            if manifest.secrets[name] != nil {
                // The line is not shown, because it contains the secret.
                return Diagnostic(
                    "unknown-input",
                    "no input of '\(manifest.file.name)' is named '\(name)', but \(span) gives it a value",
                    at: nil,
                    help: [manifest.helpWithUnknownInput(name, suite)]
                )
            }
            let nearest = NearestName.of(name, among: Array(manifest.inputs.keys) + (suite ?? []).sorted())
            return Diagnostic(
                "unknown-input",
                "no input is named '\(name)'",
                at: span,
                label: nearest.map { "did you mean '\($0)'?" } ?? "",
                help: nearest == nil ? [manifest.helpWithUnknownInput(name, suite)] : []
            )
        }
    }

    /// Reports where the value that the file gives an input violates its schema.
    fileprivate func faults(of value: JSON, for definition: Definition<InputDeclaration>, limit: Int) -> [Diagnostic] {
        let violations = definition.value.schema.validate(value, limit: limit)
        guard !violations.isEmpty else { return [] }
        let name = definition.name.value
        let prefix = JSONPointer([.name(name)])
        let pointers = violations.flatMap(\.pointers).map { JSONPointer(prefix.tokens + $0.tokens) }
        let locations = InnerLocations(outer: self.locations(of: pointers + [prefix]), prefix: prefix)
        return violations.map { violation in
            var diagnostic = violation.diagnostic(in: locations, of: "the value of input '\(name)'")
            diagnostic.id = "invalid-input"
            diagnostic.secondary.append(.init(definition.name.span, "declared here"))
            return diagnostic
        }
    }
}

/// The locations in a part of a document.
private struct InnerLocations: DocumentLocations {
    let outer: any DocumentLocations
    let prefix: JSONPointer

    var span: SourceSpan { outer.span(at: prefix) ?? outer.span }

    func span(at pointer: JSONPointer) -> SourceSpan? {
        outer.span(at: JSONPointer(prefix.tokens + pointer.tokens))
    }

    func keySpan(at pointer: JSONPointer) -> SourceSpan? {
        outer.keySpan(at: JSONPointer(prefix.tokens + pointer.tokens))
    }
}

extension Manifest {
    /// Returns the help for a name that resembles no input.
    ///
    /// - Parameter suite: The inputs of all manifests, if there are several.
    fileprivate func helpWithUnknownInput(_ name: String, _ suite: Set<String>?) -> String {
        if let secret = secrets[name]?.value {
            return "'\(name)' is a secret: it comes from \(secret.words)."
        }
        let names = suite?.sorted() ?? Array(inputs.keys)
        guard names.isEmpty else { return "The inputs are \(names.joined(separator: ", "))." }
        return suite == nil ? "The manifest takes no inputs." : "The manifests take no inputs."
    }
}
