import OrderedCollections
import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

/// Nearly every mistake is refused before anything is sent, at the line where it was made.
///
/// Of each file every key of the language is misspelt, every value given another type, every name of something defined
/// replaced, and every name in the paths of expressions broken, one at a time. Left alone is only where anything is right:
/// names that a manifest chooses itself, free content such as the body of an example, and members of answers.
@Suite struct MutationTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

    /// The manifests that are valid as a whole.
    private static let files = [
        "manifests/accounts.yaml", "manifests/quickstart.yaml", "manifests/common/services.yaml",
        "Tests/Manifests/valid/accounts.yaml", "Tests/Manifests/valid/catalogue.yaml",
        "Tests/Manifests/valid/deploy.yaml",
        "Tests/Manifests/valid/common/services.yaml",
    ]

    /// What came of one mistake.
    private enum Result {
        case refused(onItsLine: Bool, findings: [Diagnostic])
        case accepted
    }

    @Test(arguments: files)
    func `nearly every mistake is refused, at its line`(path: String) throws {
        let path = "\(Self.root)/\(path)"
        let bytes = try #require(TemporaryFolder.contents(of: path))
        let file = SourceFile(name: path, bytes: bytes)
        let loader = try ManifestLoader()
        let (loaded, problems) = loader.load(file)
        let manifest = try #require(loaded, "\(HumanRenderer().render(problems))")
        let root = try #require(YAMLReader().read(manifest.file).document)
        let maker = MutationMaker(root, manifest)

        var accepted: [String] = []
        var elsewhere: [String] = []
        var several: [String] = []
        for mutation in maker.mutations {
            switch Self.check(mutation, of: file, by: loader) {
            case .accepted: accepted.append(Self.describe(mutation, in: file))
            case .refused(let isOnItsLine, let findings):
                if !isOnItsLine { elsewhere.append(Self.describe(mutation, in: file)) }
                if findings.count > 1 {
                    several.append("\(Self.describe(mutation, in: file)): \(findings.map(\.headline))")
                }
            }
        }
        let all = maker.mutations.count
        let refused = all - accepted.count
        let onItsLine = refused - elsewhere.count
        print(
            """
            \(path): \(all) mutations, \(refused) refused, \(onItsLine) at their line, \(refused - several.count) by one \
            finding; left alone: \(maker.leftAlone)
            """
        )
        for (sort, list) in [("accepted", accepted), ("elsewhere", elsewhere), ("several findings", several)] {
            for line in list { print("  \(sort): \(line)") }
        }
        #expect(all > 0)
        #expect(Double(refused) >= 0.98 * Double(all))
        #expect(Double(onItsLine) >= 0.98 * Double(refused))
        #expect(Double(refused - several.count) >= 0.98 * Double(refused))
    }

    private static func check(_ mutation: Mutation, of file: SourceFile, by loader: ManifestLoader) -> Result {
        let mutant = SourceFile(name: file.name, bytes: mutation.applied(to: file.bytes))
        var (manifest, findings) = loader.load(mutant)
        if let manifest {
            findings += PlanBuilder.check(manifest).diagnostics
            for environment in manifest.environments.keys {
                findings += PlanBuilder.check(manifest, environment: environment).diagnostics
            }
        }
        let errors = findings.filter { $0.severity == .error }
        guard !errors.isEmpty else { return .accepted }
        let line = mutant.position(at: mutation.range.lowerBound).line
        let isThere = errors.contains { error in
            error.primary.map { $0.span.file.name == file.name && $0.span.start.line == line } ?? false
        }
        return .refused(onItsLine: isThere, findings: errors.withoutRepetitions())
    }

    private static func describe(_ mutation: Mutation, in file: SourceFile) -> String {
        let position = file.position(at: mutation.range.lowerBound)
        let text = String(decoding: file.bytes[mutation.range].prefix(40), as: UTF8.self)
        return "\(position.line):\(position.column) \(mutation.sort.rawValue) \(text) → \(mutation.replacement)"
    }
}
