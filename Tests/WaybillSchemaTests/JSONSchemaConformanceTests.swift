import Testing
import WaybillJSON
import WaybillSchema
import WaybillTestSupport

/// The JSON-Schema-Test-Suite, draft 2020-12, from the folder that `WAYBILL_CONFORMANCE` names.
@Suite(.timeLimit(.minutes(5))) struct ConformanceJSONSchemaTests {
    /// Cases that are expected to fail, as `file › group › case`, with the reason.
    static let expectedFailures: [String: String] = [:]

    @Test(.enabled(if: SchemaSuite.isPresent, "the conformance folder is absent"))
    func `every required case has the expected result`() throws {
        try SchemaSuite.run("", assertsFormats: false)
    }

    @Test(.enabled(if: SchemaSuite.isPresent, "the conformance folder is absent"))
    func `every optional case has the expected result`() throws {
        try SchemaSuite.run("optional/", assertsFormats: false)
    }

    @Test(.enabled(if: SchemaSuite.isPresent, "the conformance folder is absent"))
    func `every format case has the expected result if formats are asserted`() throws {
        try SchemaSuite.run("optional/format/", assertsFormats: true)
    }
}

private enum SchemaSuite {
    static let root = ConformanceSuite.folder("json-schema") ?? ""
    static let isPresent = !root.isEmpty

    static func run(_ folder: String, assertsFormats: Bool) throws {
        let registry = try registry()
        var passed = 0
        var unexpected: [String] = []
        for file in files(directlyIn: root + "/tests/draft2020-12/" + folder) {
            let before = passed
            var total = 0
            let groups = try #require(try read(root + "/tests/draft2020-12/" + folder + file).array)
            for group in groups {
                for (id, verdict) in verdicts(of: group, "\(folder)\(file)", registry, assertsFormats) {
                    total += 1
                    let isExpected = ConformanceJSONSchemaTests.expectedFailures[id] == nil
                    if verdict == isExpected {
                        passed += verdict ? 1 : 0
                    } else {
                        unexpected.append(verdict ? "\(id) (holds, though it is not expected to)" : id)
                    }
                }
            }
            print("JSON Schema \(folder)\(file): \(passed - before) of \(total) passed")
        }
        print("JSON Schema \(folder.isEmpty ? "required" : folder): \(passed) passed")
        #expect(passed > 0)
        #expect(unexpected.isEmpty, "\(unexpected.joined(separator: "\n"))")
    }

    private static func files(directlyIn folder: String) -> [String] {
        ConformanceSuite.files(in: folder, ending: ".json").filter { !$0.contains("/") }
    }

    /// Whether each case of a group has the expected result from every function that validates.
    private static func verdicts(
        of group: JSON,
        _ file: String,
        _ registry: JSONSchemaRegistry,
        _ assertsFormats: Bool
    ) -> [(id: String, holds: Bool)] {
        let schema = Result { () throws(JSONSchemaError) in
            try JSONSchema(compiling: group["schema"] ?? .null, registry: registry, assertsFormats: assertsFormats)
        }
        return (group["tests"]?.array ?? []).map { test in
            let id = "\(file) › \(group["description"]?.string ?? "") › \(test["description"]?.string ?? "")"
            switch schema {
            case .success(let schema):
                let isValid = schema.isValid(test["data"] ?? .null)
                let violations = schema.validate(test["data"] ?? .null)
                let isVague = violations.contains { $0.message == "does not match its schema" }
                let isAgreed = isValid == violations.isEmpty
                return (id, isValid == test["valid"]?.bool && isAgreed && !isVague)
            case .failure(let error):
                return ("\(id): \(error)", false)
            }
        }
    }

    /// All remote schemas of the suite.
    private static func registry() throws -> JSONSchemaRegistry {
        var registry = JSONSchemaRegistry()
        for file in ConformanceSuite.files(in: root + "/remotes", ending: ".json") {
            registry.register(try read("\(root)/remotes/\(file)"), at: "http://localhost:1234/\(file)")
        }
        return registry
    }

    private static func read(_ path: String) throws -> JSON {
        try JSONParser().parse(ConformanceSuite.bytes(of: path))
    }
}
