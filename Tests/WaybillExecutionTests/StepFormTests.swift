import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillResults
import WaybillTransport

@testable import WaybillExecution

/// Steps other than requests, chains and batches.
@Suite(.timeLimit(.minutes(5))) struct StepFormTests {
    private func outputs(_ text: String, _ replies: [String: ScriptedTransport.Reply] = [:]) async throws -> JSON {
        let outcome = await (try ExecutionFixture(text, replies)).run()
        return outcome.outputs.first?.values.value ?? .string(outcome.summary)
    }

    @Test func `values are computed in order, and later steps can read them`() async throws {
        let outputs = try await outputs(
            """
            graphs:
              main:
                chain:
                  - {id: sums, values: {total: "1 + 2", words: "concat('a', 'b')"}}
                  - {id: get, get: "/${steps.sums.outputs.total}", outputs: {x: $.x}}
                outputs: {total: steps.sums.outputs.total, x: steps.get.outputs.x}
            """,
            ["/3": .json(#"{"x": 9}"#)]
        )
        #expect(outputs == ["total": 3, "x": 9])
    }

    @Test func `a graph runs with inputs and returns its outputs`() async throws {
        let outputs = try await outputs(
            """
            graphs:
              half:
                inputs: {number: integer, of: {type: integer, default: 2}}
                chain: [{id: get, get: "/half/${inputs.number}/${inputs.of}"}]
                outputs: {value: steps.get.data.value}
              main:
                chain:
                  - {id: one, graph: half, with: {number: 8}}
                  - {id: two, graph: half, with: {number: "${steps.one.outputs.value}", of: 4}}
                outputs: {value: steps.two.outputs.value}
            """,
            ["/half/8/2": .json(#"{"value": 4}"#), "/half/4/4": .json(#"{"value": 1}"#)]
        )
        #expect(outputs == ["value": 1])
    }

    @Test func `a forEach returns its items in the order of the list, whichever finishes first`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: each
                    forEach: {in: [a, b, c], as: letter, concurrency: 3}
                    get: /${letter}
                outputs: {all: "steps.each.items[*].data", ok: "steps.each.items[?@.ok == true].item"}
            """,
            ["/a": .held, "/b": .held, "/c": .held]
        )
        async let running = fixture.run()
        await fixture.transport.waitForRequests(3)
        fixture.transport.release("/c", .json("3"))
        fixture.transport.release("/a", .json("1"))
        fixture.transport.release("/b", .json("2"))
        let outcome = await running
        #expect(outcome.outputs.first?.values.value == ["all": [1, 2, 3], "ok": ["a", "b", "c"]])
        #expect(outcome.result.steps[0].elements?.counts[.passed] == 3)
    }

    @Test(arguments: [
        ("stop", "each:failed z:skipped", 1), ("collect", "each:failed z:skipped", 3),
        ("continue", "each:tolerated z:passed", 4),
    ])
    func `a failed element stops the others, is collected, or is tolerated`(
        mode: String,
        summary: String,
        requests: Int
    ) async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: each
                    forEach: {in: [a, b, c], as: letter, concurrency: 1}
                    onFailure: \(mode)
                    get: /${letter}
                  - {id: z, get: /z}
            """,
            ["/a": .json("{}", status: 500)]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == summary)
        #expect(fixture.transport.paths.count == requests)
        #expect(outcome.result.steps[0].elements?.failures.map(\.index) == [0])
    }

    @Test func `finally runs after a failure and can read the results of earlier steps`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: make, post: /make, outputs: {id: $.id}}
                  - {id: use, get: /use}
                  - {id: more, get: /more}
                finally:
                  - {id: remove, delete: "/made/${default(steps.make.outputs.id, 'none')}"}
                  - {id: last, get: /last}
            """,
            ["/make": .json(#"{"id": 7}"#), "/use": .json("{}", status: 500), "/made/7": .json("{}", status: 404)]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "make:passed use:failed more:skipped remove:failed last:passed")
    }

    @Test func `a step is skipped if its condition does not hold, and the other steps run`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, get: /a}
                  - {id: b, when: "steps.a.data.n > 1", get: /b}
                  - {id: c, when: "not(steps.b.ok)", get: /c}
            """,
            ["/a": .json(#"{"n": 1}"#)]
        )
        #expect(await fixture.run().summary == "a:passed b:skipped c:passed")
    }

    @Test func `an end step stops the enclosing chain with success`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - chain:
                      - {id: a, get: /a}
                      - {end: steps.a.data.done}
                      - {id: b, get: /b}
                  - {id: c, get: /c}
            """,
            ["/a": .json(#"{"done": true}"#)]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:passed b:skipped c:passed")
        #expect(outcome.result.outcome == .passed)
    }

    @Test func `a request is repeated until its condition holds or its tries are used up`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - id: poll
                    get: /job
                    until: {that: "$.state == 'done'", every: 1ms, times: 3}
            """
        let never = try ExecutionFixture(text, ["/job": .json(#"{"state": "new"}"#)])
        let outcome = await never.run()
        #expect(outcome.summary == "poll:failed")
        #expect(outcome.result.steps[0].attempts == 3)
        let words = "after 3 polls, '$.state == 'done'' is false: $.state is \"new\""
        #expect(outcome.result.steps[0].failure?.message.string == words)
        let once = try ExecutionFixture(text, ["/job": .json(#"{"state": "done"}"#)])
        #expect(await once.run().result.steps[0].attempts == 1)
    }

    @Test func `vars are computed before the request, and each can use earlier ones`() async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints:
              e:
                service: s
                path: /${vars.both}
                inputs: {x: string}
                vars: {one: "${upper(inputs.x)}", both: "${vars.one}-${vars.one}"}
            graphs: {main: {chain: [{call: e, with: {x: a}}]}}
            """
        )
        _ = await fixture.run()
        #expect(fixture.transport.paths == ["/A-A"])
    }

    @Test func `the data that a request returns must match its schema`() async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints:
              e: {service: s, path: /e, returns: {collection: {type: object, required: [id]}}}
            graphs: {main: {chain: [{call: e}]}}
            """,
            ["/e": .json(#"[{"id": 1}, {"name": "x"}]"#)]
        )
        let failure = await fixture.run().result.steps[0].failure
        #expect(failure?.kind == .output)
        #expect(failure?.message.string.contains("element 1") == true)
    }

    @Test func `interceptors turn a success into a failure, and a failure into a success`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                onFailure: collect
                chain:
                  - id: a
                    get: /a
                    intercept: {beforeSuccess: [{fail: "too few: ${$.n}", when: $.n < 5}]}
                  - id: b
                    get: /b
                    outputs: {n: $.n}
                    intercept: {beforeFailure: [{recover: {n: 0}, when: response.status == 404}]}
                outputs: {n: steps.b.outputs.n}
            """,
            ["/a": .json(#"{"n": 1}"#), "/b": .json("{}", status: 404)]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:failed b:passed")
        #expect(outcome.result.steps[0].failure?.message.string == "too few: 1")
    }

    @Test func `the interceptors of all levels apply, those of nearer levels first`() async throws {
        let fixture = try ExecutionFixture(
            """
            defaults:
              intercept: {beforeSuccess: [{fail: "not ok", when: $.ok == false}], beforeFailure: [{recover: outer}]}
            graphs:
              main:
                chain:
                  - {id: a, get: /a, intercept: {afterSuccess: [{log: "${$}"}]}, outputs: {value: $}}
                  - {id: b, get: /a, intercept: {beforeFailure: [{recover: inner}]}, outputs: {value: $}}
                  - {id: c, get: /a, inherit: {intercept: false}, outputs: {value: $.ok}}
                outputs: {values: "list(steps.a.outputs.value, steps.b.outputs.value, steps.c.outputs.value)"}
            """,
            ["/a": .json(#"{"ok": false}"#)]
        )
        let outcome = await fixture.run()
        let values = outcome.outputs.map { JSONWriter().string($0.values.value) }
        #expect(values == [#"{"values":["outer","inner",false]}"#])
    }

    @Test func `an action after a failure reads the body, and is not dropped in silence`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                onFailure: collect
                chain:
                  - id: a
                    get: /a
                    intercept: {beforeFailure: [{recover: "${response.body.error}", when: response.status == 422}]}
                    outputs: {text: $}
                  - id: b
                    get: /a
                    intercept: {beforeFailure: [{recover: "${response.body.other.x}"}], afterFailure: [{log: "${$.x}"}]}
                  - id: c
                    get: /c
                    intercept: {beforeFailure: [{recover: 1, when: response.status == 422}]}
                outputs: {text: steps.a.outputs.text}
            """,
            ["/a": .json(#"{"error": "no such city"}"#, status: 422), "/c": .failure(.connect)]
        )
        let listener = EventListener()
        let outcome = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
        #expect(outcome.summary == "a:passed b:failed c:failed")
        let warnings = listener.warnings
        #expect(warnings.count == 2, "\(warnings)")
        #expect(warnings.first?.hasPrefix("an action of 'beforeFailure' had no effect: ") == true)
        #expect(warnings.last?.hasPrefix("an action of 'afterFailure' had no effect: ") == true)
    }

    @Test func `the manifest's own message is reported, and the original message is kept`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, get: /a, messages: {general: The shop is closed}}]
            """,
            ["/a": .json("{}", status: 503)]
        )
        let failure = await fixture.run().result.steps[0].failure
        #expect(failure?.message.string == "The shop is closed (503)")
        #expect(failure?.details.first?.message.string == "the status is 503, not 2xx")
    }

    @Test func `a deadline ends a step, whatever it is doing`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: slow
                    deadline: 5ms
                    chain: [{id: a, get: /a}, {id: b, get: /b}]
                  - {id: z, get: /z}
            """,
            ["/a": .held]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:failed b:skipped z:skipped")
        #expect(outcome.result.steps[1].failure?.kind == .timeout)
    }

    @Test func `a delay is part of the time of its step`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, deadline: 5ms, delay: \"${'1h'}\", get: /a}, {id: z, get: /z}]}}\n"
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:failed z:skipped")
        #expect(outcome.result.steps[0].failure?.message.string == "the deadline of 5ms has passed")
        #expect(fixture.transport.paths.isEmpty)
    }

    @Test func `the deadline of a step that is skipped need not be computable`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, when: 1 == 2, get: /a, outputs: {limit: $.limit}}
                  - {id: b, when: steps.a.ok, deadline: "${steps.a.outputs.limit}", get: /b}

            """
        )
        #expect(await fixture.run().summary == "a:skipped b:skipped")
    }

    @Test func `a response that failed before it was decoded has no data`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: maybe, get: /a, onFailure: continue}
                  - {id: then, when: exists(steps.maybe.data), get: /b}
                  - {id: otherwise, when: not(exists(steps.maybe.data)), get: /c}

            """,
            ["/a": .json("{}", status: 500)]
        )
        _ = await fixture.run()
        #expect(fixture.transport.paths == ["/a", "/c"])
    }
}
