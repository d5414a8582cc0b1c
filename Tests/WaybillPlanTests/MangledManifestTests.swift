import OrderedCollections
import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

/// Manifests with any number and kind of errors are checked completely.
@Suite(.timeLimit(.minutes(5))) struct MangledManifestTests {
    /// The number of variants of each file. The test also passes with 3000.
    private static let texts = 120

    @Test(arguments: MutatedManifest.files)
    func `a manifest with mangled lines is checked completely, and either has errors or can be planned`(
        path: String
    ) throws {
        let original = try MutatedManifest(path)
        let lines = (1...original.file.lineCount).map {
            Array(original.file.bytes[original.file.byteRange(ofLine: $0)])
        }
        let loader = ManifestLoader()
        var random = SplitMix(state: 5)
        var withTree = 0
        for _ in 0..<Self.texts {
            var mangled = lines
            for _ in 0...random.next(below: 3) { Self.mangle(&mangled, &random) }
            let bytes = Array(mangled.joined(separator: [UInt8(ascii: "\n")]))
            let loaded = loader.load(SourceFile(name: original.file.name, bytes: bytes))
            let diagnostics = loaded.diagnostics
            #expect(loaded.manifest != nil || diagnostics.hasErrors)
            guard let manifest = loaded.manifest else { continue }
            withTree += diagnostics.hasErrors ? 1 : 0
            #expect(manifest.unknown.isEmpty == !diagnostics.hasErrors)
            let checked = PlanBuilder.check(manifest)
            for name in manifest.environments.keys { _ = PlanBuilder.check(manifest, environment: name) }
            if !(diagnostics + checked.diagnostics).hasErrors { _ = PlanBuilder.plan(checked, options: PlanOptions()) }
        }
        print("\(path): \(withTree) of \(Self.texts) texts with mistakes and a tree")
        #expect(withTree > Self.texts / 10)
    }

    /// Removes, copies or reindents a line, or replaces one of its characters.
    private static func mangle(_ lines: inout [[UInt8]], _ random: inout SplitMix) {
        let index = random.next(below: lines.count)
        switch random.next(below: 6) {
        case 0 where lines.count > 1: lines.remove(at: index)
        case 1: lines.insert(lines[random.next(below: lines.count)], at: index)
        case 2: lines[index] = [0x20, 0x20] + lines[index]
        case 3: lines[index] = Array(lines[index].dropFirst(2))
        default:
            guard !lines[index].isEmpty else { return }
            let characters = Array("abc:[]{}$.*&!|'\" 7-#,".utf8)
            let position = random.next(below: lines[index].count)
            lines[index][position] = characters[random.next(below: characters.count)]
        }
    }
}
