import Testing
import Waybill
import WaybillPipeline
import WaybillPlatform
import WaybillTestSupport

/// The files of a run, validated against the published schemas.
@Suite(.timeLimit(.minutes(5))) struct WrittenFileTests {
    private static func schema(_ name: String) throws -> SchemaCheck {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let stage = SchemaCheck.load("\(root)/schemas/\(name)")
        return try #require(stage.value, "\(stage.diagnostics)")
    }

    @Test func `the journal and the summary of a run with bytes in its outputs conform to their schemas`()
        async throws
    {
        let fixture = LibraryFixture(
            """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            endpoints:
              image: {service: s, path: /image, decoding: bytes, outputs: {all: $}, mock: {body: PNG}}
              mark: {service: s, path: /mark, outputs: {all: $}, mock: {body: {$bytes: AAAA}}}
              pages: {service: s, path: /pages, mock: {body: {rows: [1], next: null}}}
              bad: {service: s, path: /bad, mock: {status: 500, body: {message: broken}}}
            graphs:
              main:
                chain:
                  - call: image
                  - call: mark
                  - {id: each, forEach: {in: [1, 2], as: n}, call: image}
                  - {call: pages, paginate: {next: $.next, items: $.rows}}
                  - {id: tolerated, forEach: {in: [1], as: n}, onFailure: continue, call: bad}
                  - {call: bad, onFailure: continue}
                outputs:
                  length: length(steps.image.outputs.all)
                  mark: steps.mark.outputs.all
                  items: length(steps.each.items[0].outputs.all)
                  rows: steps.pages.data

            """
        )
        let report = try await fixture.plan().run(
            results: fixture.results,
            options: ManifestRun.Options(usesMock: true)
        ).report
        #expect(report.outcome == .passed)
        let journal = try #require(fixture.folder.read("results/events.ndjson"))
        #expect(journal.contains(#"{"$bytes":"UE5H"}"#) && journal.contains(#"{"$object":{"$bytes":"AAAA"}}"#))
        let events = try Self.schema("event.schema.json")
        let faults = events.check("\(fixture.results)/events.ndjson")
        #expect(faults.isEmpty, "\(faults)")
        let faultsOfSummary = try Self.schema("run.schema.json").check("\(fixture.results)/run.json")
        #expect(faultsOfSummary.isEmpty, "\(faultsOfSummary)")
        let changed = fixture.folder.write(journal.replacing(#""UE5H""#, with: "5"), to: "changed.ndjson")
        #expect(!events.check(changed).isEmpty)
    }
}
