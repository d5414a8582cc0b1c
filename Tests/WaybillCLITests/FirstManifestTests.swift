import Testing
import WaybillExplanations
import WaybillManifest
import WaybillPipeline
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct FirstManifestTests {
    private static func run(_ arguments: String, in folder: TemporaryFolder) async throws -> Command {
        let words = arguments.split(separator: " ").map(String.init)
        return try await Command.run(CommandCase.program, words, in: folder.path)
    }

    @Test(arguments: [
        "", "--schema", "--url https://api.example.com/${v}/", "a.yml --schema --url http://127.0.0.1:81",
    ])
    func `the generated manifest is valid without warnings and runs on its own examples`(arguments: String) async throws
    {
        let folder = TemporaryFolder()
        #expect(try await Self.run("init \(arguments)", in: folder).status == 0)
        let file = arguments.hasPrefix("a.yml") ? "a.yml" : "waybill.yaml"
        for environment in ["", " --env local"] {
            let checked = try await Self.run("validate \(file)\(environment)", in: folder)
            #expect(checked.status == 0 && checked.errorText.isEmpty, "\(checked.errorText)")
            let ran = try await Self.run("run \(file) --mock\(environment)", in: folder)
            #expect(ran.status == 0, "\(ran.outputText)\(ran.errorText)")
        }
        let called = try await Self.run("call \(file) profile --mock", in: folder)
        #expect(called.status == 0 && called.outputText.contains("\"Ada\""))
        let text = try #require(folder.read(file))
        #expect(
            text.hasPrefix("# yaml-language-server: $schema=waybill.schema.json\n") == arguments.contains("--schema")
        )
        let schema = TemporaryFolder.contents(of: folder.path + "/waybill.schema.json")
        #expect(schema == (arguments.contains("--schema") ? FlatSchema.text : nil))
    }

    @Test func `existing files are never overwritten, and a failed init leaves nothing behind`() async throws {
        let folder = TemporaryFolder()
        folder.write("mine", to: "waybill.yaml")
        for arguments in ["init", "init --schema", "init .", "init waybill.yaml --url http://127.0.0.1"] {
            #expect(try await Self.run(arguments, in: folder).status == 3)
        }
        #expect(folder.read("waybill.yaml") == "mine")
        #expect(folder.read("waybill.schema.json") == nil)

        #expect(try await Self.run("init other.yaml --schema", in: folder).status == 0)
        #expect(try await Self.run("init third.yaml --schema", in: folder).status == 0, "the schema is there already")
    }
}
