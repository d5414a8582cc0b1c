import Synchronization
import Testing
import Waybill
import WaybillTestSupport

/// Runs that a program resumes.
@Suite(.timeLimit(.minutes(5))) struct ResumptionTests {
    @Test func `a failed run resumes at the failed step, and its event numbers continue`() async throws {
        let isBroken = Mutex(true)
        try await LoopbackServer.run(answer: { request in
            let fails = request.target == "/b" && isBroken.withLock { $0 }
            return ServerResponse(
                status: fails ? 500 : 200,
                headers: [("Content-Type", "application/json")],
                body: Array("{\"at\": \"\(request.target)\"}".utf8)
            )
        }) { server in
            let fixture = LibraryFixture(
                """
                services: {s: {baseURL: "\(server.url(""))"}}
                graphs:
                  main:
                    chain:
                      - {id: a, service: s, get: /a, outputs: {at: $.at}}
                      - {id: b, service: s, get: /b}
                    outputs: {at: steps.a.outputs.at}
                """
            )
            let first = try fixture.plan().run(results: fixture.results)
            let before = try await first.events()
            #expect(try await first.report.outcome == .failed)
            isBroken.withLock { $0 = false }

            let second = try ManifestRun.resume(fixture.results)
            let after = try await second.events()
            let report = try await second.report
            #expect(report.outcome == .passed)
            #expect(report.id == (try await first.report.id))
            #expect(report.folder == fixture.results)
            #expect(report.outputs == ["main": ["at": "/a"]])
            #expect(server.requests.map(\.target) == ["/a", "/b", "/b"])
            #expect(after.first?.number == before.count + 1 && after.first?.missedBefore == 0)
            guard case .runStarted(let start) = after.first?.kind else {
                Issue.record("the first event is \(after)")
                return
            }
            #expect(start.isResumed)
        }
    }

    @Test func `numbers keep their digits when a run is resumed`() async throws {
        let isBroken = Mutex(true)
        try await LoopbackServer.run(answer: { request in
            let isPrice = request.target == "/price"
            return ServerResponse(
                status: !isPrice && isBroken.withLock { $0 } ? 500 : 200,
                headers: [("Content-Type", "application/json")],
                body: Array(#"{"price": 12.10, "big": 12345678901234567890.10, "all": [1.0, 1.50e2]}"#.utf8)
            )
        }) { server in
            let fixture = LibraryFixture(
                """
                inputs: {rate: number}
                services: {s: {baseURL: "\(server.url(""))"}}
                graphs:
                  main:
                    chain:
                      - {id: a, service: s, get: /price, outputs: {price: $.price, big: $.big, all: $.all}}
                      - {id: b, service: s, get: "/pay?price=${steps.a.outputs.price}&rate=${inputs.rate}"}
                    outputs:
                      price: steps.a.outputs.price
                      big: steps.a.outputs.big
                      all: steps.a.outputs.all
                      rate: inputs.rate
                """
            )
            let rate = try #require(JSONValue.number(digits: "0.50"))
            _ = try await fixture.plan(inputs: ["rate": rate]).run(results: fixture.results).report
            isBroken.withLock { $0 = false }
            let report = try await ManifestRun.resume(fixture.results).report
            #expect(server.requests.last?.target == "/pay?price=12.10&rate=0.50")
            let outputs = #"{"price":12.10,"big":12345678901234567890.10,"all":[1.0,1.50e2],"rate":0.50}"#
            #expect(report.outputs["main"]?.description == outputs)
            #expect(try ManifestRun.Report(contentsOf: fixture.results).outputs["main"]?.description == outputs)
        }
    }

    @Test func `the inputs of a resumed run can be given as a value of the program`() async throws {
        struct Inputs: Encodable { var username: String }
        let fixture = LibraryFixture(LibraryFixture.shop)
        let plan = try Manifest(contentsOf: fixture.path).plan(inputs: .init(encoding: Inputs(username: "ann")))
        _ = try await plan.run(results: fixture.results, options: ManifestRun.Options(usesMock: true)).report
        let report = try await ManifestRun.resume(fixture.results, inputs: .init(encoding: Inputs(username: "ann")))
            .report
        #expect(report.outputs["main"]?["user"] == "ann")
        #expect(throws: EncodingError.self) { try ManifestRun.resume(fixture.results, inputs: .init(encoding: [1])) }
    }

    @Test func `a run cannot be resumed if a completed step was changed in the manifest`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        _ = try await run.report
        fixture.folder.write(
            "waybill: 1\n\(LibraryFixture.shop.replacing("path: /account,", with: "path: /accounts,"))\n",
            to: "manifest.yaml"
        )
        let error = try #require(#expect(throws: RunError.self) { try ManifestRun.resume(fixture.results) })
        #expect(error.code == .invalidManifest)
        #expect(error.diagnostics.map(\.id) == ["changed-manifest"])
    }

    @Test func `a folder without a run cannot be resumed`() throws {
        let folder = TemporaryFolder()
        let error = try #require(#expect(throws: RunError.self) { try ManifestRun.resume("\(folder.path)/none") })
        #expect(error.code == .unreadableRun)
        #expect(error.message.contains("\(folder.path)/none"))
    }
}
