import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillTestSupport

/// An error in one part of a manifest is reported whatever errors other parts have.
@Suite(.timeLimit(.minutes(5))) struct PairMutationTests {
    /// The number of pairs for each file. The test also passes with 1000.
    private static let pairs = 80

    @Test(arguments: MutatedManifest.files)
    func `two unrelated errors are both reported, and nothing else is`(
        path: String
    ) throws {
        let original = try MutatedManifest(path)
        let parts = ManifestParts(original.document)
        let mutations = original.maker.mutations + original.maker.duplicates
        // The mutations that rules detect, and those that hid them when rules were checked after everything else.
        let forRules = mutations.indices.filter { [.name, .path].contains(mutations[$0].sort) }
        let others = mutations.indices.filter { ![.name, .path].contains(mutations[$0].sort) }
        var random = SplitMix(state: 17)
        var alone: [Int: Set<Finding>] = [:]
        func diagnostics(with index: Int) -> Set<Finding> {
            if let known = alone[index] { return known }
            let found = Finding.all(in: original, with: [mutations[index]])
            alone[index] = found
            return found
        }
        var made = 0
        // Diagnostics of one mutation that are missing because of the other mutation.
        var unsaid = 0
        var wrong: [String] = []
        for _ in 0..<Self.pairs {
            let indices = [others[random.next(below: others.count)], forRules[random.next(below: forRules.count)]]
            let pair = indices.map { mutations[$0] }
            guard !parts.hide(pair[0], pair[1]), !parts.hide(pair[1], pair[0]) else { continue }
            made += 1
            let found = Finding.all(in: original, with: pair)
            let words = pair.map(original.describe).joined(separator: " and ")
            for diagnostic in found.subtracting(diagnostics(with: indices[0])).subtracting(
                diagnostics(with: indices[1])
            ) {
                wrong.append("\(words): added: \(diagnostic.id) \(diagnostic.headline)")
            }
            for (index, other) in [(indices[0], pair[1]), (indices[1], pair[0])] {
                for diagnostic in diagnostics(with: index).subtracting(found) where diagnostic.severity == .error {
                    if diagnostic.saysWhatLacks, parts.mayGive(other, whatLacksIn: mutations[index]) {
                        unsaid += 1
                    } else {
                        wrong.append("\(words): lost: \(diagnostic.id) \(diagnostic.headline)")
                    }
                }
            }
        }
        // With more mutations, some can hide the diagnostics of others, but they never cause additional diagnostics.
        for _ in 0..<Self.pairs / 4 {
            var chosen: [Int] = []
            for index in (0..<6).map({ _ in random.next(below: mutations.count) }) {
                let mutation = mutations[index]
                let isHidden = chosen.contains {
                    parts.hide(mutations[$0], mutation) || parts.hide(mutation, mutations[$0])
                }
                if !isHidden { chosen.append(index) }
            }
            let several = chosen.map { mutations[$0] }
            let expected = chosen.reduce(into: Set<Finding>()) { $0.formUnion(diagnostics(with: $1)) }
            for diagnostic in Finding.all(in: original, with: several).subtracting(expected) {
                let words = several.map(original.describe).joined(separator: " and ")
                wrong.append("\(words): added: \(diagnostic.id) \(diagnostic.headline)")
            }
        }
        print("\(path): \(made) pairs, \(unsaid) findings left open, \(wrong.count) added or lost")
        for line in wrong { print("  \(line)") }
        #expect(made > 0)
        #expect(unsaid <= made / 10)
        #expect(wrong.isEmpty)
    }
}

/// A diagnostic and its position in the original source.
private struct Finding: Hashable {
    let id: DiagnosticID
    let severity: Diagnostic.Severity
    let headline: String
    let place: Int

    /// Whether the diagnostic says that something required is missing or uncertain.
    var saysWhatLacks: Bool {
        id != "unknown-key" && id.name.hasPrefix("unknown-")
            || ["missing-input", "invalid-input", "step-not-run"].contains(id)
    }

    static func all(in original: MutatedManifest, with mutations: [Mutation]) -> Set<Finding> {
        let (text, diagnostics) = original.diagnostics(with: mutations)
        return Set(
            diagnostics.map { diagnostic in
                let place = diagnostic.primary.flatMap { $0.span.file == text ? $0.span.range.lowerBound : nil }
                return Finding(
                    id: diagnostic.id,
                    severity: diagnostic.severity,
                    headline: diagnostic.headline,
                    place: place.map { mutations.place(after: $0) } ?? -1
                )
            }
        )
    }
}

extension [Mutation] {
    /// Maps a position in the mutated source to the original source.
    fileprivate func place(after offset: Int) -> Int {
        var place = offset
        for mutation in sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            let size = mutation.replacement.utf8.count
            if place < mutation.range.lowerBound { break }
            if place < mutation.range.lowerBound + size { return mutation.range.lowerBound }
            place -= size - mutation.range.count
        }
        return place
    }
}

extension YAMLNode {
    /// The entries of a mapping; empty for other nodes.
    fileprivate var entries: [YAMLMapping.Entry] { mapping.map { Array($0.entries) } ?? [] }
}

/// The relations between the parts of a manifest.
private struct ManifestParts {
    /// A definition in a section of the manifest.
    private struct Definition {
        let name: String
        let range: Range<Int>
    }

    private var definitions: [Definition] = []
    private var entries: [Range<Int>: Range<Int>] = [:]
    private let file: SourceFile

    init(_ document: YAMLNode) {
        file = document.span.file
        for section in document.entries {
            for (key, value) in section.value.entries {
                let range = key.span.range.lowerBound..<value.span.range.upperBound
                definitions.append(Definition(name: key.text ?? "", range: range))
            }
        }
        visit(document)
    }

    private mutating func visit(_ node: YAMLNode) {
        for element in node.sequence ?? [] { visit(element) }
        for (key, value) in node.entries {
            entries[key.span.range] = key.span.range.lowerBound..<value.span.range.upperBound
            visit(value)
        }
    }

    /// Whether one mutation is not checked because of another: it is under a misspelt key or inside a replaced value.
    /// Only the first error of an expression is reported.
    func hide(_ mistake: Mutation, _ other: Mutation) -> Bool {
        let hidden = entries[other.range] ?? other.range
        return hidden.overlaps(mistake.range)
    }

    /// Whether the other mutation may leave unknown what is missing for this one: in the same definition, in one that
    /// references it or is referenced by it, also indirectly, or outside all definitions. For example, the outputs of
    /// an endpoint are used by the session of a service, which provides them to other endpoints, which a graph calls.
    func mayGive(_ other: Mutation, whatLacksIn mistake: Mutation) -> Bool {
        guard let first = definition(of: other), let second = definition(of: mistake) else { return true }
        var reached = [first]
        for _ in 0..<3 {
            reached = definitions.filter { definition in reached.contains { haveToDo($0, definition) } }
        }
        return reached.contains { $0.range == second.range }
    }

    private func haveToDo(_ first: Definition, _ second: Definition) -> Bool {
        first.range == second.range || names(first, second) || names(second, first)
    }

    private func definition(of mutation: Mutation) -> Definition? {
        definitions.first {
            $0.range.contains(mutation.range.lowerBound) && $0.range.upperBound >= mutation.range.upperBound
        }
    }

    private func names(_ first: Definition, _ second: Definition) -> Bool {
        String(decoding: file.bytes[first.range], as: UTF8.self).contains(second.name)
    }
}
