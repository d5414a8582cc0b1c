import Testing
import WaybillJSON
import WaybillManifest
import WaybillSchema
import WaybillTestSupport

/// Tests that cannot be cases, because the output is too large to store or cannot be written.
@Suite(.timeLimit(.minutes(5))) struct DataCommandTests {
    @Test(arguments: EmbeddedSchema.allCases)
    func `a published schema is printed exactly as in its file`(_ schema: EmbeddedSchema) async throws {
        let result = try await Command.run(CommandCase.program, ["schema", "print", schema.rawValue])
        let path = "\(CommandCase.projectRoot)/schemas/\(schema.rawValue).schema.json"
        #expect(result.status == 0)
        #expect(result.output == TemporaryFolder.contents(of: path))
    }

    @Test(arguments: CommandCase.all.filter { $0.description.hasPrefix("validate/json") })
    func `JSON diagnostics conform to the published schema`(_ testCase: CommandCase) throws {
        let schema = try JSONSchema(compiling: try JSONParser().parse(EmbeddedSchema.diagnostics.text))
        let document = try JSONParser().parse(Array(try #require(testCase.file("stdout")).utf8))
        #expect(schema.validate(document) == [])
        #expect(schema.validate(["errors": 1, "warnings": 0, "diagnostics": [["id": "x"]]]) != [])
    }

    @Test(arguments: [["schema"], ["schema", "print"], ["schema", "manifest"]])
    func `the manifest schema is printed unless another one is named`(arguments: [String]) async throws {
        let result = try await Command.run(CommandCase.program, arguments)
        #expect(result.output == EmbeddedSchema.manifest.text)
    }

    @Test(arguments: ["eval 1", "eval --functions", "schema print"])
    func `output that cannot be written is a failure`(_ arguments: String) async throws {
        let command = "'\(CommandCase.program)' \(arguments) > /dev/full"
        let result = try await Command.run("/bin/sh", ["-c", command])
        #expect(result.status == 3)
        #expect(result.errorText.hasPrefix("error[unwritable-output]: could not write to standard output: "))
    }

    @Test func `only the first thousand diagnostics are reported`() async throws {
        let folder = TemporaryFolder()
        let prepared = try await Command.run(
            "/bin/sh",
            ["-c", "echo '{\"type\": \"string\"}' > schema.json; seq 1500 > numbers.ndjson; seq 1000 > fewer.ndjson"],
            in: folder.path
        )
        #expect(prepared.status == 0)
        for (file, ending) in [
            ("numbers", "error[too-many-findings]: too many errors: the rest of numbers.ndjson was not checked"),
            ("fewer", "error[wrong-type]: the document must be a string, but is a number"),
        ] {
            let result = try await Command.run(
                CommandCase.program,
                ["schema", "check", "schema.json", "\(file).ndjson"],
                in: folder.path
            )
            #expect(result.status == 2)
            let headlines = result.errorText.split(separator: "\n").filter { $0.hasPrefix("error[") }
            #expect(headlines.count { $0.hasPrefix("error[wrong-type]") } == 1000)
            #expect(headlines.last.map(String.init) == ending)
        }
    }
}
