import Testing
import Waybill
import WaybillTestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a program can learn from a manifest before anything is sent.
@Suite(.timeLimit(.minutes(5))) struct LoadingTests {
    @Test func `an invalid manifest is rejected with all errors and their locations`() throws {
        let fixture = LibraryFixture(
            """
            graphs:
              main:
                chain:
                  - {call: acount}
                  - {get: "https://127.0.0.1/${nothing.id}"}
            endpoints: {account: {url: "https://127.0.0.1/"}}
            """
        )
        let diagnostics = try fixture.diagnostics { _ = try Manifest(contentsOf: $0) }
        let errors = diagnostics.filter { $0.severity == .error }
        #expect(errors.map(\.id) == ["unknown-endpoint", "unknown-name"])
        let first = try #require(errors.first)
        let place = try #require(first.location)
        #expect((place.file, place.line, place.column) == (fixture.path, 5, 16))
        #expect((place.endLine, place.endColumn) == (5, 22))
        #expect(first.message.contains("'acount'"))
        #expect(first.description.hasPrefix("\(fixture.path):5:16: error: \(first.message)"))
        #expect(first.description.hasSuffix("[unknown-endpoint]"))
        #expect(first.excerpt.contains("call: acount"))
        #expect(Manifest.diagnostics(contentsOf: fixture.path) == diagnostics)
    }

    @Test func `the description of a manifest error shows all diagnostics with their lines`() throws {
        let fixture = LibraryFixture("graphs: {main: {chain: [{call: a}, {call: b}]}}")
        let error = try #require(#expect(throws: ManifestError.self) { try Manifest(contentsOf: fixture.path) })
        #expect("\(error)".contains("graphs: {main: {chain: [{call: a}, {call: b}]}}"))
        #expect("\(error)".hasSuffix("2 errors\n"))
    }

    @Test func `a manifest that does not exist causes a diagnostic without a location`() throws {
        let error = try #require(
            #expect(throws: ManifestError.self) { try Manifest(contentsOf: "/nowhere/manifest.yaml") }
        )
        #expect(error.diagnostics.map(\.location) == [nil])
        #expect(error.diagnostics[0].description.hasPrefix("error: "))
    }

    @Test func `unsaved text is checked like a file, together with its includes`() throws {
        let fixture = LibraryFixture("endpoints: {account: {url: \"https://127.0.0.1/\"}}")
        let text = "waybill: 1\ninclude: [manifest.yaml]\ngraphs: {main: {chain: [{call: account}, {call: other}]}}\n"
        let diagnostics = Manifest.diagnostics(text: text, path: "\(fixture.folder.path)/new.yaml")
        #expect(diagnostics.map(\.id) == ["unknown-endpoint"])
        #expect(diagnostics[0].location?.file == "\(fixture.folder.path)/new.yaml")
        let corrected = text.replacing(", {call: other}", with: "")
        #expect(Manifest.diagnostics(text: corrected, path: "\(fixture.folder.path)/new.yaml").map(\.description) == [])
    }

    @Test func `a loaded manifest has the names of its definitions and its warnings`() throws {
        let fixture = LibraryFixture(
            LibraryFixture.shop + "\nenvironments: {dev: {secrets: {key: {env: DEV_KEY}}}}\nsecrets: {key: {env: KEY}}"
        )
        let manifest = try Manifest(contentsOf: fixture.path)
        #expect(manifest.graphs == ["main"])
        #expect(manifest.endpoints == ["account", "orders"])
        #expect(manifest.environments == ["dev"])
        #expect(manifest.inputs.map(\.name) == ["username"])
        #expect(manifest.files == [fixture.path])
        #expect(manifest.warnings.map(\.id) == ["unused-definition"])
        #expect(manifest.secretVariables == ["KEY"])
        #expect(try Manifest(contentsOf: fixture.path, environment: "dev").secretVariables == ["DEV_KEY"])
    }

    @Test func `the options of a plan are checked before anything is sent`() throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let manifest = try Manifest(contentsOf: fixture.path)
        func diagnostics(_ body: () throws -> RunPlan) throws -> [String] {
            try #require(#expect(throws: ManifestError.self) { _ = try body() }).diagnostics.map(\.message)
        }
        #expect(try diagnostics { try manifest.plan(graphs: ["mian"]) } == ["no graph is named 'mian'"])
        #expect(try diagnostics { try manifest.plan(environment: "dev") } == ["no environment is named 'dev'"])
        #expect(
            try diagnostics { try manifest.plan(inputs: ["name": "x"]) }
                == ["no input of '\(fixture.path)' is named 'name', but the program gives it a value"]
        )
        let wrong = try diagnostics { try manifest.plan(inputs: ["username": 4]) }
        #expect(wrong.count == 1 && wrong[0].hasPrefix("the value given for input 'username' by the program "))
    }

    @Test func `a plan can be shown as text and as JSON`() throws {
        let plan = try LibraryFixture(LibraryFixture.shop).plan(inputs: ["username": "x"])
        #expect(plan.graphs == ["main"])
        #expect(plan.environment == nil)
        #expect(plan.text.contains("http://127.0.0.1:1/api/account"))
        #expect(plan.value["inputs"] == ["username": "x"])
    }

    @Test func `the secrets of a plan are never printed`() throws {
        let fixture = LibraryFixture(
            "secrets: {key: {env: KEY}}\ngraphs: {main: {chain: [{get: \"https://127.0.0.1/\", auth: {bearer: \"${secrets.key}\"}}]}}"
        )
        let plan = try fixture.plan(variables: ["KEY": "hunter2"])
        var dumped = ""
        dump(plan, to: &dumped)
        for text in [dumped, "\(plan)", String(reflecting: plan), plan.text, "\(plan.value)"] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test func `inputs can be given as a value of the program`() async throws {
        struct Inputs: Encodable {
            var count: UInt64
            var price: Decimal
            var due: Date
            var tags: [String]?
        }
        let fixture = LibraryFixture(
            """
            inputs: {count: integer, price: number, due: string, tags: {type: array, default: []}}
            graphs: {main: {chain: [{get: "http://127.0.0.1/${inputs.count}/${inputs.price}/${inputs.due}"}]}}
            """
        )
        let manifest = try Manifest(contentsOf: fixture.path)
        let price = try #require(Decimal(string: "12345678901234567890.12"))
        let inputs = Inputs(count: .max, price: price, due: Date(timeIntervalSince1970: 0))
        let run = try manifest.plan(inputs: .init(encoding: inputs))
            .run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        let url = try #require(try await run.report.steps.first?.url?.string)
        #expect(url == "http://127.0.0.1/18446744073709551615/12345678901234567890.12/1970-01-01T00%3A00%3A00.000Z")
        #expect(throws: ManifestError.self) { try manifest.plan(inputs: ["count": "x"]) }
        #expect(throws: EncodingError.self) { try manifest.plan(inputs: .init(encoding: 1)) }
        #expect(throws: EncodingError.self) { try manifest.plan(inputs: .init(encoding: ["price": Double.nan])) }
    }
}
