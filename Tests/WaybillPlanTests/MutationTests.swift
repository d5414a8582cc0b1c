import OrderedCollections
import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

/// Nearly every mutation is rejected before anything is sent, at the line of the mutation.
///
/// In each file, every key of the language is misspelt, every value gets another type, every reference to a definition
/// is replaced, and every name in the paths of expressions is broken, one at a time. Places where anything is valid are
/// left alone: names that a manifest chooses itself, free content such as the body of an example, and members of
/// responses.
@Suite(.timeLimit(.minutes(5))) struct MutationTests {
    /// The result of one mutation.
    private enum Result {
        case refused(onItsLine: Bool, diagnostics: [Diagnostic])
        case accepted
    }

    @Test(arguments: MutatedManifest.files)
    func `nearly every mutation is rejected at its line`(path: String) throws {
        let original = try MutatedManifest(path)
        let maker = original.maker

        // The diagnostics of the original manifest, for example about unused definitions.
        let usual = Set(original.diagnostics(with: []).diagnostics.map(\.headline))
        var accepted: [String] = []
        var elsewhere: [String] = []
        var several: [String] = []
        for mutation in maker.mutations {
            switch Self.check(mutation, of: original) {
            case .accepted: accepted.append(original.describe(mutation))
            case .refused(let isOnItsLine, let diagnostics):
                if !isOnItsLine { elsewhere.append(original.describe(mutation)) }
                let diagnostics = diagnostics.filter { !usual.contains($0.headline) }
                if diagnostics.count > 1 {
                    several.append("\(original.describe(mutation)): \(diagnostics.map(\.headline))")
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

    @Test(arguments: MutatedManifest.files)
    func `a duplicate entry causes one diagnostic`(path: String) throws {
        let original = try MutatedManifest(path)
        let usual = Set(original.diagnostics(with: []).diagnostics.map(\.headline))
        let duplicates = original.maker.duplicates
        for index in stride(from: 0, to: duplicates.count, by: duplicates.count / 25 + 1) {
            let diagnostics = original.diagnostics(with: [duplicates[index]]).diagnostics
            let others = diagnostics.filter { !usual.contains($0.headline) && $0.id != "duplicate-key" }
            #expect(diagnostics.contains { $0.id == "duplicate-key" })
            #expect(others.isEmpty, "\(original.describe(duplicates[index])): \(others.map(\.headline))")
        }
    }

    private static func check(_ mutation: Mutation, of original: MutatedManifest) -> Result {
        let (mutant, diagnostics) = original.diagnostics(with: [mutation])
        let errors = diagnostics.filter { $0.severity == .error }
        guard !errors.isEmpty else { return .accepted }
        let line = mutant.position(at: mutation.range.lowerBound).line
        let isThere = errors.contains { error in
            error.primary.map { $0.span.file.name == mutant.name && $0.span.start.line == line } ?? false
        }
        // A warning that the mutation causes would also be a second diagnostic.
        return .refused(onItsLine: isThere, diagnostics: diagnostics)
    }
}
