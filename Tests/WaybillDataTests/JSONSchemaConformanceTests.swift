import Testing
import WaybillData

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The JSON-Schema-Test-Suite, draft 2020-12, from the folder that `WAYBILL_CONFORMANCE` names.
@Suite struct ConformanceJSONSchemaTests {
    /// Cases that are not expected to hold, as `file › group › case`, with the reason.
    static let expectedFailures: [String: String] = [:]

    @Test(.enabled(if: SchemaSuite.isPresent, "the conformance folder is absent"))
    func `every required case has its verdict`() throws {
        try SchemaSuite.run("", assertsFormats: false)
    }

    @Test(.enabled(if: SchemaSuite.isPresent, "the conformance folder is absent"))
    func `every optional case has its verdict`() throws {
        try SchemaSuite.run("optional/", assertsFormats: false)
    }

    @Test(.enabled(if: SchemaSuite.isPresent, "the conformance folder is absent"))
    func `every format case has its verdict when formats are asserted`() throws {
        try SchemaSuite.run("optional/format/", assertsFormats: true)
    }
}

private enum SchemaSuite {
    static let root = conformanceFolder + "/json-schema"
    static let isPresent = !jsonFiles(in: root + "/tests/draft2020-12").isEmpty

    private static let conformanceFolder: String = {
        if let value = getenv("WAYBILL_CONFORMANCE") { return String(cString: value) }
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.dropLast().joined(separator: "/") + "/shared/conformance"
    }()

    static func run(_ folder: String, assertsFormats: Bool) throws {
        let registry = try registry()
        var passed = 0
        var unexpected: [String] = []
        for file in jsonFiles(in: root + "/tests/draft2020-12/" + folder) {
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

    /// Whether each case of a group has its verdict, by both ways to ask for it.
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
                let isVague = violations.contains { $0.message == "does not follow its schema" }
                return (id, isValid == test["valid"]?.bool && isValid == violations.isEmpty && !isVague)
            case .failure(let error):
                return ("\(id): \(error)", false)
            }
        }
    }

    /// All remote schemas of the suite.
    private static func registry() throws -> JSONSchemaRegistry {
        var registry = JSONSchemaRegistry()
        var folders = [""]
        while let folder = folders.popLast() {
            for name in names(in: root + "/remotes/" + folder) {
                if name.hasSuffix(".json") {
                    registry.register(
                        try read("\(root)/remotes/\(folder)\(name)"),
                        at: "http://localhost:1234/\(folder)\(name)"
                    )
                } else {
                    folders.append("\(folder)\(name)/")
                }
            }
        }
        return registry
    }

    private static func jsonFiles(in folder: String) -> [String] {
        names(in: folder).filter { $0.hasSuffix(".json") }
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static func read(_ path: String) throws -> JSON {
        let file = try #require(fopen(path, "rb"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return try JSONParser().parse(bytes)
    }
}
