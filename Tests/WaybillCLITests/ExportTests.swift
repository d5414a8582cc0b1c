import Testing
import WaybillPlatform
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

    @Test func `the password of a proxy in the manifest is a variable`() async throws {
        let text = try await export(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9", proxy: "http://ann:HIDDEN@127.0.0.1:8/"}}
            graphs: {main: {chain: [{service: s, get: /}]}}

            """
        )
        #expect(!text.contains("HIDDEN"), "\(text)")
        #expect(text.contains(#"-x http://127.0.0.1:8/"#) && text.contains(#"-U "ann:${PROXY_PASSWORD}""#), "\(text)")
    }

    /// Imports the commands in `1.sh` and exports them again.
    private static let roundTrip =
        #""$0" import curl 1.sh > 2.yaml && "$0" export curl 2.yaml > 2.sh && "#
        + "grep -v '^#' 1.sh > a && grep -v '^#' 2.sh > b && diff a b"

    private static let manifests = ConformanceSuite.files(in: CommandCase.projectRoot + "/manifests", ending: ".yaml")
        .filter { !$0.contains("common/") }

    /// Exports, imports and exports a manifest of the project: the commands stay the same.
    @Test(arguments: manifests)
    func `an imported export has the same requests`(name: String) async throws {
        let line = #"cd "$1/manifests" && "$0" export curl "$2" > "$3/1.sh" && cd "$3" && \#(Self.roundTrip)"#
        let words = ["-c", line, CommandCase.program, CommandCase.projectRoot, name, folder.path]
        let result = try await Command.run("/bin/sh", words, in: folder.path)
        #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
        #expect(TemporaryFolder.contents(of: folder.path + "/b").map { !$0.isEmpty } == true)
    }

    @Test func `constant requests of the cookbook are the same after an export and an import`() async throws {
        let page = TemporaryFolder.contents(of: CommandCase.projectRoot + "/docs/cookbook.md")
        let blocks = String(decoding: page ?? [], as: UTF8.self)
            .matches(of: #/\n```([a-z]+)(?: (\S+))?\n((?s).*?)\n```\n/#)
        for block in blocks {
            if let file = block.2 { folder.write("\(block.3)\n", to: String(file)) }
        }
        var count = 0
        for block in blocks where block.1 == "yaml" && block.2 == nil {
            folder.write("\(block.3)\n", to: "m.yaml")
            // One with variables has the status 7.
            let line = #""$0" export curl m.yaml > 1.sh && { grep -q '[$]' 1.sh && exit 7; \#(Self.roundTrip); }"#
            let result = try await Command.run("/bin/sh", ["-c", line, CommandCase.program], in: folder.path)
            if result.status == 7 { continue }
            #expect(result.status == 0, "\(block.3)\n\(result.outputText)\(result.errorText)")
            count += 1
        }
        #expect(count >= 6)
    }

    @Test(arguments: [
        ("headers: {Accept: text/csv}", true), ("auth: {basic: {username: u, password: \"${secrets.t}\"}}", true),
        ("body: {json: {n: 1}}", true), ("headers: {X-Key: \"${secrets.t}\"}", false),
        ("headers: {X-Tenant: a}", false),
        ("body: {json: {pin: \"${secrets.t}\"}}", false), ("auth: {netrc: n}", false), ("redirects: 0", false),
    ])
    func `redirects are followed only if curl sends nothing else to another origin`(setting: String, isFollowed: Bool)
        async throws
    {
        folder.write("machine 127.0.0.1 login a password b\n", to: "n")
        chmod("\(folder.path)/n", 0o600)
        let text = try await export(
            """
            waybill: 1
            secrets: {t: {env: T}}
            graphs: {main: {chain: [{id: a, post: "http://127.0.0.1:9/", \(setting)}]}}

            """
        )
        #expect(text.contains(" -L") == isFollowed, "\(text)")
        #expect(text.contains("# no redirect is followed") == (!isFollowed && setting != "redirects: 0"), "\(text)")
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
        #"{post: "/o[1-3]?page[size]=2"}"#, "{delete: /a/../b}", "{get: /a, headers: {Accept: null, User-Agent: null}}",
        #"{post: /a, body: {text: "a\tpin=${secrets.t}"}}"#, #"{post: /a, body: {text: "--a\r\nb%"}}"#,
        #"{post: /a, body: {plist: {pin: "${secrets.t}"}}}"#,
    ])
    func `an exported command sends what a run sends`(step: String) async throws {
        try await LoopbackServer.run(answer: { _ in ServerResponse() }) { server in
            folder.write(
                """
                waybill: 1
                secrets: {t: {env: TOKEN}}
                services: {s: {baseURL: "\(server.url(""))"}}
                graphs: {main: {chain: [\(step)]}}

                """,
                to: "m.yaml"
            )
            folder.write("TOKEN=secret-1234\n", to: "t.env")
            let run =
                #""$0" run m.yaml --env-file t.env --quiet && "$0" export curl m.yaml > c.sh && TOKEN=secret-1234 sh -e c.sh"#
            let result = try await Command.run("/bin/sh", ["-c", run, CommandCase.program], in: folder.path)
            #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
            let sent = server.requests.map { request in
                let fields = ["Accept", "User-Agent", "Content-Type"].map { name in
                    request.values(named: name).map { $0.hasPrefix("curl/") || $0.hasPrefix("waybill/") ? "own" : $0 }
                }
                return "\(request.method) \(request.target) \(fields) \(request.body)"
            }
            #expect(sent.count == 2 && sent.first == sent.last, "\(sent)")
        }
    }

    @Test(arguments: [
        #"multipart: [{name: k, value: "a\0b"}]"#, "multipart: [{name: \"n=x\", text: z, contentType: text/plain}]",
    ])
    func `a body that no option can have comes from the standard input`(body: String) async throws {
        let text = try await export(
            "waybill: 1\ngraphs: {main: {chain: [{id: a, post: \"http://127.0.0.1:9/\", body: {\(body)}}]}}\n"
        )
        #expect(text.contains("printf -- '") && text.contains("| curl") && text.contains("--data-binary @-"), "\(text)")
    }
}
