import ArgumentParser
import WaybillDiagnostics
import WaybillImport

/// `waybill import`
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Writes a manifest from requests of curl, Postman and other tools.",
        usage: "waybill import [KIND] SOURCE… [--out FILE] [--environment FILE]… [--strict]",
        discussion: """
            KIND is one of \(ImportKind.allCases.map(\.rawValue).joined(separator: ", ")); without it, the content of the \
            sources decides. A source is a file, a folder, or - for standard input. With the kind curl, it may also be a \
            command in quotes: waybill import curl "curl -d a=1 https://example.com".

            Values of passwords, tokens, keys and cookies become secrets, which a run reads from environment variables: \
            the manifest does not contain them. What cannot be expressed in a manifest is a comment '# not imported: …' in \
            it, and is listed on standard error. Scripts are never executed, and no file is read that the command line does \
            not name.

            Exit status: 0 the manifest was written, 1 with --strict, if something was not imported, 2 a source is \
            malformed, 3 a file could not be read or written, 64 wrong usage.
            """
    )

    @Argument(
        help: ArgumentHelp("The kind of the sources, then the sources.", valueName: "source"),
        completion: .file()
    )
    var words: [String]

    @Option(
        help: ArgumentHelp(
            "The file of the manifest, which must not exist. Default: standard output.",
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var out: String?

    @Option(
        help: ArgumentHelp(
            "Values of variables: an environment of Postman or Bruno, the globals, or the environments of .http files.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var environment: [String] = []

    @Option(
        help: ArgumentHelp(
            "Of a recording (har), import only the requests to this host. Several hosts may be given.",
            valueName: "name"
        )
    )
    var host: [String] = []

    @Option(
        help: ArgumentHelp("Of a recording, import only the requests whose paths start with this.", valueName: "prefix")
    )
    var path: String?

    @Option(
        help: ArgumentHelp(
            "Of a recording, import only the requests with responses of this media type, such as application/json.",
            valueName: "media-type"
        )
    )
    var type: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write what was not imported to a new JSON file, with locations and reasons.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var report: String?

    @Flag(help: "Write nothing and fail if something cannot be imported.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "Write the values of the secrets to a new file for --env-file, which only its owner can read.",
            valueName: "file"
        ),
        completion: .file()
    )
    var envFileOut: String?

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if sources.isEmpty { throw ValidationError("A source is missing.") }
        for path in sources + environment where path.isEmpty { throw ValidationError("The path must not be empty.") }
        let written = [out, report, envFileOut].compactMap { $0 }
        if Set(written).count < written.count {
            throw ValidationError("Two results would be written to the same file.")
        }
    }

    /// The kind, if the first word names one.
    private var kind: ImportKind? { words.first.flatMap(ImportKind.init) }

    private var sources: [String] { kind == nil ? words : Array(words.dropFirst()) }

    func run() throws {
        let output = Output(noColour: noColor)
        var sources = ImportSources(self.sources, kind: kind)
        let environments = environment.compactMap { sources.environment($0) }
        guard !sources.diagnostics.hasErrors else { throw fail(sources.diagnostics, output) }
        guard let kind = sources.kind else { throw fail([unknownKind(sources.files[0])], output) }
        let options = ImportOptions(environments: environments, hosts: host, pathPrefix: path, types: type)
        guard kind == .har || !options.filtersEntries else {
            throw ValidationError("--host, --path and --type filter recordings (har), not \(kind.description).")
        }
        let (collection, found) = kind.read(sources.files, options)
        guard !found.hasErrors else { throw fail(found, output) }
        let manifest = ImportedManifest(collection)
        output.report(found)
        for path in sources.others {
            let name = PrintableText.oneLine(path)
            output.writeError("'\(name)' was not read: its name does not end in \(kind.endings)\n")
        }
        output.writeError(manifest.losses.map(\.line).joined())
        if strict, !manifest.losses.isEmpty { throw ExitStatus.failed }
        let results = ImportResults(manifest: manifest, out: out, report: report, environmentFile: envFileOut)
        let errors = results.write()
        guard !errors.hasErrors else { throw fail(errors, output) }
        guard let out else { return try output.writeResult(Array(manifest.text.utf8), as: .verbatim) }
        output.write("wrote \(PrintableText.oneLine(out))\n")
    }

    private func fail(_ diagnostics: [Diagnostic], _ output: Output) -> any Error {
        output.report(diagnostics)
        let isUnwritten = diagnostics.contains {
            ["unreadable-file", "unwritable-file", "existing-file"].contains($0.id)
        }
        return isUnwritten ? ExitStatus.notRun : ExitStatus.invalid
    }

    private func unknownKind(_ file: SourceFile) -> Diagnostic {
        let kinds = ImportKind.allCases.map(\.rawValue).joined(separator: ", ")
        return Diagnostic(
            "unknown-source",
            "\(file.name) is of no kind that can be imported",
            at: SourceSpan(file: file, range: 0..<min(1, file.bytes.count)),
            help: ["Name the kind if it is one of these: \(kinds)."]
        )
    }
}
