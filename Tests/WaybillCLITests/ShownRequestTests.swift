import Testing
import WaybillJSON
import WaybillTestSupport

/// What shows which requests a run has sent, with their bodies.
@Suite(.timeLimit(.minutes(5))) struct ShownRequestTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command { try await waybill(arguments) }

    private func waybill(_ arguments: [String]) async throws -> Command {
        folder.write(
            """
            waybill: 1
            secrets: {key: {env: KEY}}
            services: {s: {baseURL: "http://127.0.0.1:9", session: {call: login}}}
            endpoints:
              login: {method: POST, path: /login, body: {json: {user: from-the-form}}, outputs: {token: {value: $.token, secret: true}}, mock: {body: {token: "from-the-login"}}}
            graphs:
              main:
                chain:
                  - {id: new, post: /new, headers: {X-Token: "${session.token}"}, body: {json: {name: café, key: "${secrets.key}"}}, mock: {body: {id: 7}}}
                  - {id: long, put: /long, body: {text: "\(String(repeating: "0123456789", count: 1_000))"}, mock: {status: 204}}
                  - {id: bytes, put: /bytes, body: {base64: "AAECAwQ="}, mock: {body: ok}}
                  - {id: pages, get: /pages, paginate: {items: $.rows, page: {query: n}, max: 2}, mock: {body: {rows: [1]}}}
                  - {id: plain, put: "/plain/${n}", forEach: {in: [1, 2], as: n}, body: {json: {n: "${n}"}}, mock: {body: [1]}}
                  - id: each
                    forEach: {in: [1, 2], as: n}
                    chain:
                      - {id: put, put: "/each/${n}", body: {json: {n: "${n}"}}, mock: {body: {done: true}}}
            """,
            to: "manifest.yaml"
        )
        return try await Command.run(
            CommandCase.program,
            arguments,
            in: folder.path,
            variables: ["KEY": "a-secret-key"]
        )
    }

    private func entries() throws -> [JSON] {
        let archive = try JSONParser().parse(Array((folder.read("r.har") ?? "").utf8))
        return archive["log"]?["entries"]?.array ?? []
    }

    @Test func `verbose prints bodies as text up to 4 KB, or their sizes, without secrets`() async throws {
        let run = try await waybill("run", "manifest.yaml", "--mock", "--verbose", "--out", "out")
        #expect(run.status == 0, "\(run.errorText)")
        let text = run.outputText
        #expect(text.contains("    >\n    {\"name\":\"café\",\"key\":\"***\"}\n"), "\(text)")
        #expect(text.contains("    <\n    {\"id\":7}\n"))
        #expect(text.contains("0123456789012345\n    { the start of 10.0 kB }\n"))
        #expect(text.contains("    { 5 bytes that are not text or not shown }\n"))
        #expect(text.contains("✓ main.each[1].put  PUT http://127.0.0.1:9/each/2"))
        for secret in ["a-secret-key", "from-the-form", "from-the-login"] {
            #expect(!text.contains(secret) && !(folder.read("out/events.ndjson") ?? "").contains(secret))
        }
    }

    @Test func `kept bodies of requests and responses are in the archive and on the page, and show prints requests`()
        async throws
    {
        let run = try await waybill(
            "run",
            "manifest.yaml",
            "--mock",
            "--keep-bodies",
            "--out",
            "out",
            "--report",
            "har=r.har,html=r.html"
        )
        #expect(run.status == 0, "\(run.errorText)")
        #expect(!run.outputText.contains("main.each[1].put") && run.outputText.contains("✓ main.each[1]  "))
        let entries = try entries()
        let bodies = Dictionary(
            entries.map { entry in
                (
                    entry["_step"]?.string ?? "",
                    (entry["request"]?["postData"]?["text"]?.string, entry["response"]?["content"]?["text"]?.string)
                )
            }
        ) { $1 }
        #expect(bodies["main.new"]?.0 == "{\"name\":\"café\",\"key\":\"***\"}" && bodies["main.new"]?.1 == "{\"id\":7}")
        #expect(bodies["main.long"]?.0?.utf8.count == 10_000)
        #expect(bodies["main.each[1].put"]?.0 == "{\"n\":2}" && bodies["main.each[1].put"]?.1 == "{\"done\":true}")
        #expect(
            entries.count { $0["_step"] == "main.pages" && $0["response"]?["content"]?["text"] == "{\"rows\":[1]}" }
                == 2
        )
        #expect(folder.names(in: "out/bodies").contains("main.long@request.txt"))
        #expect(
            (folder.read("r.html") ?? "").contains(
                "\"requestBody\":\"{\\\"name\\\":\\\"café\\\",\\\"key\\\":\\\"***\\\"}\""
            )
        )
        for file in ["r.har", "r.html"] { #expect(!(folder.read(file) ?? "").contains("from-the-form")) }

        let shown = try await waybill("show", "./out", "--step", "long", "--request")
        #expect(shown.outputText.contains("> PUT http://127.0.0.1:9/long\n"), "\(shown.outputText)\(shown.errorText)")
        #expect(shown.outputText.contains("    { kept in ./out/bodies/main.long@request.txt }\n"))
        let element = try await waybill("show", "./out", "--step", "main.each[1]", "--request")
        #expect(element.outputText.contains("/each/2\n") && !element.outputText.contains("/each/1\n"))
        #expect(try await waybill("show", "./out", "--request").status == 64)
    }

    @Test func `an archive has the requests of elements if it is asked for before the run, and otherwise a comment`()
        async throws
    {
        let options = ["run", "manifest.yaml", "--mock", "--out", "out", "--only", "plain"]
        _ = try await waybill(options + ["--report", "har=r.har"])
        #expect(try entries().map { $0["request"]?["url"]?.string?.suffix(8) } == ["/plain/1", "/plain/2"])
        #expect(!(folder.read("r.har") ?? "").contains("requests of the elements"))
        _ = try await waybill(options)
        let late = try await waybill(["report", "./out", "--har", "r.har"])
        #expect(late.status == 0, "\(late.errorText)")
        #expect(try entries().isEmpty)
        #expect(
            (folder.read("r.har") ?? "").contains("requests of the elements of 'main.plain': use --report har=FILE")
        )
    }
}
