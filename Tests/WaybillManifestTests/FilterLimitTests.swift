import OrderedCollections
import Testing
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillRuntime

@testable import WaybillManifest

/// Filter stages and forms stop once the time of the step has passed.
@Suite(.timeLimit(.minutes(5))) struct FilterLimitTests {
    private struct Nowhere: EvaluationEnvironment {
        func now() -> Timestamp { Timestamp(nanoseconds: 0) }
        func uuid() -> String { "" }
        func contents(ofFile path: String) throws(EvaluationError) -> [UInt8] { throw EvaluationError(.value, "none") }
        func reasonToStop(after steps: Int) -> String? { nil }
    }

    /// The stages that read each element of a list.
    private static let stages = [
        "map": "item.n", "where": "item.n > 3", "pick": "[n]", "omit": "[x]", "rename": "{n: m}", "set": "{m: item.n}",
        "sort": "{by: item.n}", "unique": "{by: item.n}", "flatten": "true", "zip": "{a: $}",
        "group": "{by: item.n, as: rows}",
    ]
    /// The stages whose time does not depend on the number of elements, or whose parts stop by themselves.
    private static let others: Set = [
        "require", "select", "envelope", "limit", "union", "decode", "schema", "default",
    ]

    @Test func `all stages are known`() {
        #expect(Set(FilterStages.all.map { $0.key }) == Self.others.union(Self.stages.keys))
    }

    @Test(arguments: stages.keys.sorted())
    func `a stage stops after the time of the step`(key: String) async throws {
        let file = SourceFile(name: "m.yaml", text: "waybill: 1\nfilters: {f: [{\(key): \(Self.stages[key] ?? "")}]}\n")
        let node = try #require(YAMLReader().read(file).document)
        let files = ManifestFiles(folder: "/", boundary: FolderBoundary(folder: "/", allowsOutside: false))
        let filter = ManifestDecoder.decode(node, files: files).manifest.filters["f"]
        guard case .stage(let stage)? = filter?.value.first?.value else {
            Issue.record("no stage")
            return
        }
        let data = ScopeValue(.array((0..<3000).map { ["n": .number(JSONNumber(3000 - $0))] }))
        let scope = EvaluationScope(root: DictionaryNamespace(), environment: Nowhere())
        let span = file.span(0..<7)
        _ = try stage.apply(to: data, in: scope, at: span)
        #expect(await WorkLimit.limited({ true }) { (try? stage.apply(to: data, in: scope, at: span)) == nil })
    }

    @Test func `a form with many fields is not written to its end after the time of the step`() async {
        var fields = ParameterList(arrays: .repeat)
        for number in 0..<10_000 { fields.add("x", ScopeText("\(number)")) }
        let form = await WorkLimit.limited({ true }) { [fields] in fields.form }
        #expect(form.utf8.count < 10_000)
        #expect(fields.form.hasSuffix("&x=9999"))
    }
}
