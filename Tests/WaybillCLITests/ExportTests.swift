import Testing
import WaybillTestSupport

/// `waybill export curl`
@Suite(.timeLimit(.minutes(5))) struct ExportTests {
    private let folder = TemporaryFolder()

    private func export(_ manifest: String) async throws -> String {
        folder.write(manifest, to: "m.yaml")
        let result = try await Command.run(CommandCase.program, ["export", "curl", "m.yaml"], in: folder.path)
        #expect(result.status == 0, "\(result.errorText)")
        return result.outputText
    }

    @Test func `a name of an environment variable is no code of the shell`() async throws {
        let text = try await export(
            """
            waybill: 1
            secrets: {t: {env: "A$(touch PWNED)"}, path: {env: PATH}}
            graphs: {main: {chain: [{id: a, get: "http://127.0.0.1:9/", headers: {X: "${secrets.t}", Y: "${secrets.path}"}}]}}

            """
        )
        #expect(!text.contains("PWNED)\"") && !text.contains("${PATH}"), "\(text)")
        let check = try await Command.run("/bin/bash", ["-c", text.replacing("curl", with: "echo")], in: folder.path)
        #expect(check.status == 0)
        #expect(TemporaryFolder.contents(of: folder.path + "/PWNED") == nil)
    }

    private static let manifests = ConformanceSuite.files(in: CommandCase.projectRoot + "/manifests", ending: ".yaml")
        .filter { !$0.contains("common/") }

    /// Exports, imports and exports a manifest of the project: the commands stay the same.
    @Test(arguments: manifests)
    func `an imported export has the same requests`(name: String) async throws {
        let line = """
            cd "$1/manifests" && "$0" export curl "$2" > "$3/1.sh" && cd "$3" && "$0" import curl 1.sh > 2.yaml \
              && "$0" export curl 2.yaml > 2.sh && grep -v '^#' 1.sh > a && grep -v '^#' 2.sh > b && diff a b
            """
        let words = ["-c", line, CommandCase.program, CommandCase.projectRoot, name, folder.path]
        let result = try await Command.run("/bin/sh", words, in: folder.path)
        #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
        #expect(TemporaryFolder.contents(of: folder.path + "/b").map { !$0.isEmpty } == true)
    }

    @Test func `an input without a value is a variable of the shell`() async throws {
        let text = try await export(
            """
            waybill: 1
            inputs: {id: string}
            graphs: {main: {chain: [{id: a, get: "http://127.0.0.1:9/${inputs.id}"}]}}

            """
        )
        #expect(text.contains("curl \"http://127.0.0.1:9/${ID}\""), "\(text)")
    }

    @Test(arguments: [
        #"multipart: [{name: k, value: "a\0b"}]"#, "multipart: [{name: \"n=x\", text: z, contentType: text/plain}]",
    ])
    func `a body that no option can have comes from the standard input`(body: String) async throws {
        let text = try await export(
            "waybill: 1\ngraphs: {main: {chain: [{id: a, post: \"http://127.0.0.1:9/\", body: {\(body)}}]}}\n"
        )
        #expect(text.contains("printf '") && text.contains("| curl") && text.contains("--data-binary @-"), "\(text)")
    }
}
