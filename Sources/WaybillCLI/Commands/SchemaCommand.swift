import ArgumentParser
import WaybillDiagnostics
import WaybillExplanations
import WaybillManifest
import WaybillPipeline

/// `waybill schema`
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Checks data against a JSON Schema, and prints the published schemas.",
        subcommands: [SchemaCheckCommand.self, SchemaPrintCommand.self],
        defaultSubcommand: SchemaPrintCommand.self
    )
}

/// `waybill schema check`
struct SchemaCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks JSON, NDJSON, YAML or CSV files against a JSON Schema (draft 2020-12).",
        discussion: """
            References to other schemas are resolved in the folder of the schema, never over the network. The \
            extension of a file determines its format: .json; .ndjson or .jsonl (each line is a document); .yaml or \
            .yml; .csv (each row is a document, an object of strings). Any other file is read as JSON if it is valid \
            JSON, and as YAML otherwise.

            Exit status: 0 all documents are valid, 2 a document or the schema is invalid, 3 a file could not be read, \
            64 wrong usage.
            """
    )

    @Argument(help: "The schema, a JSON or YAML file.", completion: .file())
    var schema: String

    @Argument(help: "The files to check; - is standard input.", completion: .file())
    var files: [String]

    @Flag(inversion: .prefixedNo, help: "Also check 'format', which JSON Schema does not require.")
    var formats = true

    @Flag(help: "Print without colours.")
    var noColor = false

    func run() throws {
        let output = Output(noColour: noColor)
        let stage = SchemaCheck.load(schema, assertsFormats: formats)
        output.report(stage.diagnostics)
        guard let check = stage.value else { throw stage.diagnostics.exitStatus }
        var all: [Diagnostic] = []
        for file in files {
            let diagnostics = check.check(file)
            output.reportPart(diagnostics)
            let name = file == "-" ? "standard input" : PrintableText.oneLine(file)
            if !diagnostics.hasErrors { output.write("\(name) is valid\n") }
            all += diagnostics
        }
        output.summarize(all)
        if all.hasErrors { throw all.exitStatus }
    }
}

/// `waybill schema print`
struct SchemaPrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: """
            Prints a published schema: of manifests, run.json, suite.json, state files, lines of events.ndjson, \
            diagnostics, or plans.
            """
    )

    @Argument(help: "The schema to print.")
    var schema = EmbeddedSchema.manifest

    @Flag(help: "Print the schema of manifests in the form for editors: of draft 7, with examples as snippets.")
    var flat = false

    func validate() throws {
        if flat, schema != .manifest { throw ValidationError("--flat is for the schema of manifests only.") }
    }

    func run() throws {
        try Output(noColour: true).writeResult(flat ? FlatSchema.text : schema.text, as: .verbatim)
    }
}

extension EmbeddedSchema: ExpressibleByArgument {}
