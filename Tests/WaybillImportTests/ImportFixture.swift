import Testing
import WaybillDiagnostics
import WaybillImport
import WaybillPipeline

/// Imports sources that are strings.
enum ImportFixture {
    /// The manifest of sources, which must be valid.
    static func manifest(
        _ kind: ImportKind,
        _ sources: [(name: String, text: String)],
        environments: [String] = []
    ) throws -> ImportedManifest {
        let files = sources.map { SourceFile(name: $0.name, text: $0.text) }
        let values = environments.map { SourceFile(name: "environment.json", text: $0) }
        let (collection, diagnostics) = kind.read(files, ImportOptions(environments: values))
        try #require(!diagnostics.hasErrors, "\(HumanRenderer().render(diagnostics))")
        let manifest = ImportedManifest(collection)
        let found = self.diagnostics(of: manifest.text)
        #expect(!found.hasErrors, "\(manifest.text)\(HumanRenderer().render(found))")
        return manifest
    }

    /// What `validate` reports for a manifest.
    static func diagnostics(of text: String) -> [Diagnostic] {
        let pipeline = Pipeline()
        return pipeline.check(pipeline.load(SourceFile(name: "manifest.yaml", text: text))).diagnostics
    }
}
