import Testing
import WaybillTestSupport

/// Outputs with `secret: true`, in everything that a run writes.
@Suite(.timeLimit(.minutes(5))) struct SecretOutputTests {
    private let folder = TemporaryFolder()

    /// A server that responds to `/page` with two pages, to `/poll` with a status that changes, and to `/echo` with a
    /// token that it has received. The responses contain tokens in the body and in the header.
    private static func server() throws -> LoopbackServer {
        try LoopbackServer { connection in
            var polls = 0
            while let request = connection.readRequest() {
                let target = request.target
                var fields = "Content-Type: application/json\r\nX-Session: header-token-1\r\n"
                var body = #"{"token":"body-token-1"}"#
                let status = target.hasPrefix("/conflict") ? "409 Conflict" : "200 OK"
                if target.hasPrefix("/long") {
                    body = #"{"token":"long-token-1\#(String(repeating: "x", count: 70_000))"}"#
                }
                if target.hasPrefix("/page") {
                    let isFirst = !target.contains("2")
                    body =
                        #"{"list":[{"token":"page-token-\#(isFirst ? 1 : 2)"}],"next":\#(isFirst ? "\"/page2\"" : "null")}"#
                } else if target.hasPrefix("/poll") {
                    polls += 1
                    body = #"{"token":"poll-token-\#(polls)","done":\#(polls > 1)}"#
                } else if target.hasPrefix("/name") {
                    body = #"{"name":"header-token-1"}"#
                    fields = "Content-Type: application/json\r\n"
                }
                connection.write("HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    private func run(_ steps: String) async throws -> Command {
        let server = try Self.server()
        defer { server.stop() }
        let url = server.url("")
        folder.write(
            "waybill: 1\nservices: {s: {baseURL: \"\(url)\"}}\ngraphs: {main: {chain: [\n\(steps)]}}\n",
            to: "m.yaml"
        )
        return try await Command.run(
            CommandCase.program,
            ["run", "m.yaml", "--out", "out", "--keep-bodies", "--report", "html=out.html"],
            in: folder.path
        )
    }

    private func filesWithTokens() async throws -> String {
        try await Command.run("/bin/sh", ["-c", "grep -rlE -- '-token-[0-9]' out out.html"], in: folder.path).outputText
    }

    @Test(arguments: [
        #"{id: a, get: /page, paginate: {next: $.next, items: $.list}, outputs: {t: {value: "$[*].token", secret: true}}}"#,
        #"""
        {id: a, get: /page, paginate: {next: $.next, items: $.list}, write: {to: a.ndjson},
          outputs: {t: {value: "response.body.list[0].token", secret: true}}}
        """#,
        #"{id: a, get: /page, paginate: {next: $.next, items: $.list}, outputs: {n: length($), t: {value: "$[1].token", secret: true}, u: {value: "$[0].token", secret: true}}}"#,
        #"{id: a, get: /poll, debug: true, until: {that: $.done, every: 1ms}, outputs: {t: {value: $.token, secret: true}}}"#,
        #"{id: a, get: /poll, until: {that: $.done, every: 1ms}, expect: {json: {a: 1}}, outputs: {t: {value: $.token, secret: true}}}"#,
        #"{id: a, get: /body, outputs: {t: {value: $.token, secret: true}}, write: {to: a.json}}"#,
        #"{id: a, get: /body, outputs: {t: {value: $.missing, secret: true}}}"#,
        #"{id: a, get: /body, expect: {json: {token: a}}, outputs: {t: {value: $.missing, secret: true}}}"#,
        #"{id: a, get: /poll, until: {that: $.done, every: 1ms}, outputs: {t: {value: $.missing, secret: true}}}"#,
        #"{id: a, get: /page, paginate: {next: $.next, items: $.list}, outputs: {t: {value: $.missing, secret: true}}}"#,
        #"{id: a, get: /long, outputs: {t: {value: $.token, secret: true}}}"#,
        #"{id: a, get: /conflict, expect: {status: [2xx, 409], json: {token: a}}, outputs: {t: {value: $.token, secret: true}}}"#,
    ])
    func `the secrets of pages, polls and responses are in no file`(step: String) async throws {
        let fields = #"h: {value: "response.headers['x-session']", secret: true}, "#
        let result = try await run(step.replacing("outputs: {", with: "outputs: {" + fields))
        let fails = ["expect", "missing", "long"].contains(where: step.contains)
        #expect(result.status == (fails ? 1 : 0), "\(result.errorText)\(result.outputText)")
        #expect(try await filesWithTokens() == "")
        #expect(!(result.outputText + result.errorText).contains("-token-"))
    }

    /// What a manifest makes of a secret that is too short to be found in a longer text.
    @Test(arguments: [
        #"intercept: {beforeSuccess: [{fail: "it is ${secrets.p}.", when: "$.token != ''"}]}"#,
        #"intercept: {afterSuccess: [{log: "it is ${replace(secrets.p, '/', '_')}."}]}"#,
        #"until: {that: "$.token == ''", fail: {when: "$.token != ''", message: "it is ${replace(secrets.p, '/', '_')}"}}"#,
        #"filters: [{require: {that: "$.token == ''", message: "it is ${secrets.p}"}}]"#,
        #"version: "${secrets.p}""#, #"version: "v${replace(secrets.p, '/', '_')}""#,
        #"headers: {X: "${epoch(secrets.p)}"}"#, #"headers: {X: "${date(replace(secrets.p, '/', '_'))}"}"#,
    ])
    func `a short secret is in no message and no URL`(setting: String) async throws {
        folder.write("P=Zq/9\n", to: "p.env")
        let server = try Self.server()
        defer { server.stop() }
        folder.write(
            """
            waybill: 1
            secrets: {p: {env: P}}
            services: {s: {baseURL: "\(server.url(""))"}}
            graphs: {main: {chain: [{id: a, get: /body, \(setting)}]}}

            """,
            to: "m.yaml"
        )
        let words = ["run", "m.yaml", "--env-file", "p.env", "--out", "out", "--report", "junit=out.xml"]
        let result = try await Command.run(CommandCase.program, words, in: folder.path)
        let isPassed = setting.hasPrefix("version") || setting.contains("log")
        #expect(result.status == (isPassed ? 0 : 1), "\(result.errorText)\(result.outputText)")
        let search = ["-c", "grep -rlE -- 'Zq(/|_|%2F)9' out out.xml"]
        let found = try await Command.run("/bin/sh", search, in: folder.path).outputText
        #expect(found == "")
        #expect(!(result.outputText + result.errorText).contains(#/Zq(\/|_|%2F)9/#), "\(result.outputText)")
    }

    @Test(arguments: [
        #"write: {to: "${$.name}.csv"}"#, #"download: {to: "d/${steps.b.data.name}.bin"}"#,
    ])
    func `a secret that a server has repeated is not in the name of a file`(output: String) async throws {
        let result = try await run(
            """
            {id: a, get: /body, outputs: {h: {value: "response.headers['x-session']", secret: true}}},
            {id: b, get: /name},
            {id: c, get: /name, \(output.replacing("$.name", with: "steps.b.data.name"))}
            """
        )
        #expect(result.status == 1)
        #expect(result.outputText.contains("a secret cannot be in the path of a file"), "\(result.outputText)")
        #expect(
            try await Command.run("/usr/bin/find", ["out"], in: folder.path).outputText.contains("token-1") == false
        )
    }

    @Test func `a computed path cannot have the name of a download's record`() async throws {
        let result = try await run(
            """
            {id: a, values: {name: "'y.bin.part.json'"}},
            {id: b, get: /body, write: {to: "${steps.a.outputs.name}", format: json}}
            """
        )
        #expect(result.status == 1)
        #expect(result.outputText.contains("has the name of an unfinished file"), "\(result.outputText)")
    }
}
