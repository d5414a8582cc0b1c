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

    @Test func `the manifest of an OpenAPI document is valid, and runs with responses from the document`() async throws
    {
        let folder = TemporaryFolder()
        folder.write(
            """
            openapi: 3.1.0
            info: {title: "Shop: the API", version: "1"}
            security: [{key one: []}]
            paths:
              /a/{id}: {get: {operationId: getA, parameters: [{name: id, in: path, required: true, schema: {}}], responses: {"200": {}}}}
              /b: {get: {operationId: list.b, responses: {"200": {content: {application/json: {schema: {type: integer}}}}}}}
              /c: {get: {operationId: list/b, responses: {"200": {}}}, post: {responses: {"200": {}}}}
              /d: {get: {responses: {2XX: {}}}}
              /e: {get: {responses: {"404": {}}}}
              /f: {get: {operationId: broken, parameters: [{$ref: "#/nowhere"}], responses: {}}}
            components:
              securitySchemes:
                key one: {type: apiKey, in: query, name: k}
                other: {type: http, scheme: basic}
                certificate: {type: mutualTLS}
            """,
            to: "sub/api.yaml"
        )
        folder.write("openapi: 3.0.0\ninfo: {title: 7}\npaths: {}\n", to: "sub/empty.yaml")
        #expect(try await Self.run("init sub --openapi sub/api.yaml", in: folder).status == 0)
        let text = try #require(folder.read("sub/waybill.yaml"))
        let calls = text.split(separator: "\n").filter { $0.contains("call: ") }.map { $0.drop { $0 == " " } }
        #expect(
            calls == [
                "- {id: b, call: shop-the-api.list.b}", "- {id: list-b, call: shop-the-api.list/b}",
                "- {id: get-d, call: \"shop-the-api.GET /d\"}",
            ]
                || calls == [
                    "- call: shop-the-api.list.b", "- {id: list-b, call: shop-the-api.list/b}",
                    "- {id: get-d, call: \"shop-the-api.GET /d\"}",
                ],
            "\(text)"
        )
        let checked = try await Self.run("validate sub/waybill.yaml", in: folder)
        #expect(checked.status == 0 && checked.errorText.isEmpty, "\(checked.errorText)")
        let secrets = ["KEY_ONE", "OTHER_USERNAME", "OTHER_PASSWORD"].map { "SHOP_THE_API_\($0)" }
        let ran = try await Command.run(
            CommandCase.program,
            ["run", "sub/waybill.yaml", "--mock"],
            in: folder.path,
            variables: Dictionary(uniqueKeysWithValues: secrets.map { ($0, "secret-1") })
        )
        #expect(ran.status == 0 && ran.outputText.contains("3 passed"), "\(ran.outputText)\(ran.errorText)")

        // The document must be where the manifest may read it, and must be one.
        let outside = try await Self.run("init m.yaml --openapi /etc/hostname", in: folder)
        #expect(outside.status == 3 && outside.errorText.contains("not in the folder of the manifest"))
        let none = try await Self.run("init sub/m.yaml --openapi sub/waybill.yaml", in: folder)
        #expect(none.status == 3 && none.errorText.contains("this is not an OpenAPI document"), "\(none.errorText)")
        #expect(folder.read("m.yaml") == nil && folder.read("sub/m.yaml") == nil)
        #expect(
            try await Self.run("init sub/e.yaml --openapi sub/empty.yaml --url http://127.0.0.1:9", in: folder).status
                == 0
        )
        #expect(try await Self.run("validate sub/e.yaml", in: folder).status == 0)
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
