import OrderedCollections
import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

/// A manifest without errors, to which mutations can be applied.
struct MutatedManifest {
    /// The valid manifests, relative to the root of the project.
    static let files = [
        "manifests/accounts.yaml", "manifests/quickstart.yaml", "manifests/common/services.yaml",
        "Tests/Manifests/valid/accounts.yaml", "Tests/Manifests/valid/catalogue.yaml",
        "Tests/Manifests/valid/deploy.yaml",
        "Tests/Manifests/valid/common/services.yaml",
    ]

    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

    /// The original source.
    let file: SourceFile
    /// The values of the original.
    let document: YAMLNode
    /// All mutations of the manifest.
    let maker: MutationMaker
    private let loader: ManifestLoader

    /// Reads the manifest at a path relative to the root of the project.
    init(_ path: String) throws {
        let path = "\(Self.root)/\(path)"
        file = SourceFile(name: path, bytes: try #require(TemporaryFolder.contents(of: path)))
        loader = ManifestLoader()
        let loaded = loader.load(file)
        let rendered = HumanRenderer().render(loaded.diagnostics)
        let manifest = try #require(loaded.diagnostics.hasErrors ? nil : loaded.manifest, "\(rendered)")
        document = try #require(YAMLReader().read(manifest.file).document)
        maker = MutationMaker(document, manifest)
    }

    /// Applies some mutations, and returns the new source with its diagnostics, without duplicates.
    func diagnostics(with mutations: [Mutation]) -> (text: SourceFile, diagnostics: [Diagnostic]) {
        var bytes = file.bytes
        for mutation in mutations.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes = mutation.applied(to: bytes)
        }
        let mutant = SourceFile(name: file.name, bytes: bytes)
        let loaded = loader.load(mutant)
        var diagnostics = loaded.diagnostics
        if let manifest = loaded.manifest {
            diagnostics += PlanBuilder.check(manifest).diagnostics
            for environment in manifest.environments.keys {
                diagnostics += PlanBuilder.check(manifest, environment: environment).diagnostics
            }
        }
        return (mutant, diagnostics.withoutRepetitions())
    }

    /// The location and kind of a mutation.
    func describe(_ mutation: Mutation) -> String {
        let position = file.position(at: mutation.range.lowerBound)
        let text = String(decoding: file.bytes[mutation.range].prefix(40), as: UTF8.self)
        return "\(position.line):\(position.column) \(mutation.sort.rawValue) \(text) → \(mutation.replacement)"
    }
}
