import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillPlatform

@testable import WaybillResults

/// Compares the written files with the published schemas, name by name; other tests run validators on both.
@Suite(.timeLimit(.minutes(5))) struct ResultSchemaTests {
    private func schema(_ name: String) throws -> JSON {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let file = try #require(fopen("/\(root)/schemas/\(name)", "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return try JSONParser().parse(bytes)
    }

    /// Checks that an object has all members the schema requires, and none it does not define.
    private func check(_ value: JSON?, _ schema: JSON?) throws {
        let names = Set(try #require(value?.object).names)
        let properties = Set(try #require(schema?["properties"]?.object).names)
        let required = Set(schema?["required"]?.array?.compactMap(\.string) ?? [])
        #expect(names.isSubset(of: properties), "unknown: \(names.subtracting(properties))")
        #expect(required.isSubset(of: names), "missing: \(required.subtracting(names))")
    }

    @Test func `run json has only the members in its schema, and all required ones`() throws {
        let schema = try schema("run.schema.json")
        let json = Samples.result.json
        try check(json, schema)
        try check(json["counts"], schema["$defs"]?["counts"])
        for step in try #require(json["steps"]?.array) { try check(step, schema["$defs"]?["step"]) }
        try check(json["steps"]?[0]?["time"], schema["$defs"]?["phaseTimes"])
        try check(json["steps"]?[0]?["bytes"], schema["$defs"]?["bytes"])
        try check(json["steps"]?[1]?["failure"], schema["$defs"]?["failure"])
        try check(json["steps"]?[1]?["elements"], schema["$defs"]?["elements"])
    }

    @Test func `the schema contains exactly the existing types of events`() throws {
        let schema = try schema("event.schema.json")
        let alternatives = try #require(schema["oneOf"]?.array)
        let types = alternatives.compactMap { $0["properties"]?["type"]?["const"]?.string }
        #expect(Set(types) == Set(Samples.events.map(\.kind.type)))
        let common = Set(schema["properties"]?.object?.names ?? [])
        for event in Samples.events.map(\.json) {
            let alternative = try #require(alternatives.first { $0["properties"]?["type"]?["const"] == event["type"] })
            let names = Set(event.object?.names ?? [])
            let known = common.union(alternative["properties"]?.object?.names ?? [])
            let required = Set(alternative["required"]?.array?.compactMap(\.string) ?? [])
            #expect(names.isSubset(of: known) && required.isSubset(of: names), "\(event)")
        }
    }

    @Test func `the names of kinds and outcomes are those in the schema`() throws {
        let definitions = try #require(try schema("run.schema.json")["$defs"])
        func words(_ json: JSON?) -> [String] { json?["enum"]?.array?.compactMap(\.string) ?? [] }
        #expect(words(definitions["failure"]?["properties"]?["kind"]) == FailureKind.allCases.map(\.rawValue))
        #expect(words(definitions["stepOutcome"]) == StepOutcome.allCases.map(\.rawValue))
        #expect(words(definitions["runOutcome"]) == RunOutcome.allCases.map(\.rawValue))
        let skipped = try schema("event.schema.json")["oneOf"]?.array?
            .first { $0["properties"]?["type"]?["const"] == "step.skipped" }
        #expect(words(skipped?["properties"]?["reason"]) == SkipReason.allCases.map(\.rawValue))
    }
}
