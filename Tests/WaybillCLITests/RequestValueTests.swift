import Synchronization
import Testing
import WaybillFormats
import WaybillJSON
import WaybillTestSupport

/// Filters that are applied to values, pages that endpoints request, signatures and conditions on inputs, in runs of the
/// program against a server.
@Suite(.timeLimit(.minutes(5))) struct RequestValueTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path, variables: ["KEY": "k-1"])
    }

    /// Starts a server that responds to each request with JSON.
    private func server(_ respond: @escaping @Sendable (ReceivedRequest) -> (status: Int, body: String)) throws
        -> LoopbackServer
    {
        try LoopbackServer { connection in
            while let request = connection.readRequest() {
                let (status, body) = respond(request)
                let headers = [("Content-Type", "application/json")]
                let response = ServerResponse(status: status, headers: headers, body: Array(body.utf8))
                guard connection.write(response.bytes(to: request.method)) else { return }
            }
        }
    }

    private func write(_ manifest: String, for server: LoopbackServer) {
        folder.write(
            "waybill: 1\nservices: {s: {baseURL: \"http://127.0.0.1:\(server.port)\"}}\n\(manifest)",
            to: "m.yaml"
        )
    }

    private func outputs() throws -> JSON? {
        try folder.read("out/outputs.json").map { try JSONParser().parse(Array($0.utf8)) }
    }

    @Test func `a filter is applied to values, and a changed one to those of steps that have not run`() async throws {
        let isBusy = Mutex(true)
        let server = try server { request in
            let isRefused = request.target == "/last" && isBusy.withLock(\.self)
            return isRefused ? (503, "{}") : (200, #"{"rows": [{"id": 2, "n": "b"}, {"id": 1, "n": "a"}]}"#)
        }
        defer { server.stop() }
        func write(_ name: String) {
            self.write(
                """
                filters:
                  names: [{select: $.rows}, {sort: {by: item.id}}, {map: "\(name)"}, {set: {by: "apply('twice', 4)"}}]
                  twice: [{map: "${item * 2}"}]
                graphs:
                  main:
                    chain:
                      - {id: a, get: /users}
                      - {id: first, values: {users: "apply('names', steps.a.data)"}, expect: {json: {users: [{by: 8}, {}]}}}
                      - {id: second, values: {x: "apply('twice', steps.a.data)"}, onFailure: continue}
                      - {id: last, get: /last}
                    outputs: {users: "apply('names', steps.last.data)", first: steps.first.outputs.users}

                """,
                for: server
            )
        }
        write("${item}")
        let run = try await waybill("run", "m.yaml", "--out", "out")
        #expect(run.status == 1 && !run.errorText.contains("unused"))
        let complaint = "filter 'twice' (line 5): '*' requires numbers, found an object"
        #expect(run.outputText.contains(complaint), "\(run.outputText)\(run.errorText)")
        let sent = server.requests.count
        // The step that has passed would now have other values.
        write("${item.n}")
        let refused = try await waybill("resume", "out")
        #expect(
            refused.status == 2 && refused.errorText.contains("main.first"),
            "\(refused.errorText)\(refused.outputText)"
        )
        #expect(server.requests.count == sent)
        write("${item}")
        isBusy.withLock { $0 = false }
        let resumed = try await waybill("resume", "out")
        #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
        let rows: JSON = [["id": 1, "n": "a", "by": 8], ["id": 2, "n": "b", "by": 8]]
        #expect(try outputs() == ["main": ["users": rows, "first": rows]])
        // In a program for JSON there are no filters.
        let eval = try await waybill("eval", "apply('names', 1)")
        #expect(eval.status == 2 && eval.errorText.contains("there are no filters here"), "\(eval.errorText)")
    }

    @Test func `an endpoint requests pages in each call, unless the call does not`() async throws {
        let server = try server { request in
            let page = request.target.hasPrefix("/list?page=") ? Int(request.target.dropFirst(11)) ?? 9 : 1
            return (200, "{\"rows\": [\(page)], \"more\": \(page < 3)}")
        }
        defer { server.stop() }
        write(
            """
            endpoints:
              list:
                path: /list
                inputs: {page: integer, last: {type: integer, default: 9}}
                query: {page: "${inputs.page}"}
                filters: [{select: $.rows}]
                paginate: {page: {input: page}, items: "default($, list())", while: $.more && response.status < inputs.last * 100}
            graphs:
              main:
                chain:
                  - {id: all, call: list}
                  - {id: one, call: list, with: {page: 2}, paginate: none}
                  - {id: two, call: list, paginate: {page: {input: page, start: 2}, max: 1}}
                  - {id: none, call: list, with: {last: 2}}
                outputs: {all: steps.all.data, one: steps.one.data, two: steps.two.data, none: steps.none.data}

            """,
            for: server
        )
        let run = try await waybill("run", "m.yaml", "--out", "out")
        #expect(run.status == 0, "\(run.outputText)\(run.errorText)")
        #expect(try outputs() == ["main": ["all": [1, 2, 3], "one": [2], "two": [2], "none": [1]]])
        let sent = server.requests.count
        #expect(sent == 6)
        let call = try await waybill("call", "m.yaml", "list")
        #expect(call.status == 0, "\(call.errorText)")
        #expect(try JSONParser().parse(Array(call.outputText.utf8)) == [1, 2, 3])
        #expect(server.requests.count == sent + 3)
        let plan = try await waybill("plan", "m.yaml")
        #expect(
            plan.outputText.split(separator: "\n").count { $0.contains("pages by number") } == 3,
            "\(plan.outputText)"
        )
    }

    /// Whether a query or form has a signature of its other parameters, as a server would check it.
    private static func isSigned(_ query: Substring, with key: String) -> Bool {
        let pairs = query.split(separator: "&")
        let signed = pairs.filter { !$0.hasPrefix("sign=") }.sorted().joined(separator: "&")
        let digest = Hexadecimal.encode(Digest.value(of: Array("\(signed)&\(key)".utf8), .md5))
        return pairs.contains { $0 == "sign=\(digest)" }
    }

    @Test func `a signature covers the other parameters, and is computed anew for each page and retry`() async throws {
        let failures = Mutex(1)
        let server = try server { request in
            let parts = request.target.split(separator: "?")
            if request.method == "POST" {
                let body = String(decoding: request.body, as: UTF8.self)
                return (Self.isSigned(body[...], with: "k-1") ? 200 : 403, "[]")
            }
            guard parts.count == 2, Self.isSigned(parts[1], with: "k-1") else { return (403, "[]") }
            let isBusy = failures.withLock { count in
                defer { count = 0 }
                return count > 0
            }
            return isBusy ? (503, "[]") : (200, parts[1].contains("page=2") ? "[]" : "[{\"id\": 1}]")
        }
        defer { server.stop() }
        write(
            """
            secrets: {key: {env: KEY}}
            filters:
              pairs: [{zip: {name: keys($), value: values($)}}, {sort: {by: item.name}}, {map: "${item.name}=${item.value}"}]
            endpoints:
              search:
                path: /search
                vars: {at: "${uuid()}"}
                query: {q: tea}
                params: {sign: "${md5(concat(join(sort(split(request.query, '&')), '&'), '&', secrets.key))}", b: 2, a: "${vars.at}"}
                paginate: {page: {query: page}}
                retry: {times: 2, backoff: {first: 1ms}}
            graphs:
              main:
                chain:
                  - {id: pages, call: search}
                  - id: form
                    post: /form
                    params:
                      sign: "${md5(concat(join(apply('pairs', request.params), '&'), '&', secrets.key))}"
                      z: last
                      a: 1
                    headers: {X-Count: "${length(request.params)}"}
                outputs: {pages: steps.pages.data}

            """,
            for: server
        )
        let run = try await waybill("run", "m.yaml", "--out", "out")
        #expect(run.status == 0, "\(run.outputText)\(run.errorText)")
        #expect(server.requests.map(\.method) == ["GET", "GET", "GET", "POST"])
        #expect(server.requests.last?.values(named: "X-Count") == ["3"])
        let targets = Set(server.requests.map(\.target))
        #expect(targets.count == 3, "the signature of the second page differs from that of the first")
    }

    @Test func `inputs that violate a condition fail the step before anything is sent`() async throws {
        let server = try server { _ in (200, #"{"n": 5}"#) }
        defer { server.stop() }
        write(
            """
            inputs: {limit: {type: integer, default: 9}}
            endpoints:
              report:
                path: /report/${inputs.from}
                inputs: {from: integer, to: integer}
                check: [inputs.to <= inputs.limit, {that: inputs.from < inputs.to, message: "${inputs.from} is not before"}]
            graphs:
              main:
                chain:
                  - {id: n, get: /n}
                  - {id: a, call: report, with: {from: "${steps.n.data.n}", to: 5}, onFailure: continue}
                  - {id: b, graph: part, with: {size: "${steps.n.data.n}"}}
              part: {inputs: {size: integer}, check: [inputs.size < inputs.limit - 6], chain: [{get: /part}]}

            """,
            for: server
        )
        let run = try await waybill("run", "m.yaml", "--out", "out")
        #expect(run.status == 1)
        let message = "5 is not before: 'inputs.from < inputs.to' is false: inputs.from is 5, inputs.to is 5"
        #expect(run.outputText.contains(message), "\(run.outputText)\(run.errorText)")
        #expect(run.outputText.contains("'inputs.size < inputs.limit - 6' is false"), "\(run.outputText)")
        #expect(server.requests.map(\.target) == ["/n"])
        let result = try JSONParser().parse(Array(try #require(folder.read("out/run.json")).utf8))
        #expect(result["steps"]?[1]?["failure"]?["kind"] == "input")
        // The values of a graph that is run are known before it starts.
        let part = try await waybill("run", "m.yaml", "--graph", "part", "--input", "size=3")
        #expect(part.status == 2)
        #expect(part.errorText.contains("the inputs of graph 'part' are not accepted"), "\(part.errorText)")
        #expect(server.requests.count == 1)
    }
}
