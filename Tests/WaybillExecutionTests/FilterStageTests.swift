import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillResults

@Suite(.timeLimit(.minutes(5))) struct FilterStageTests {
    /// Runs a step whose response passes through filters.
    private func run(_ filters: String, on body: String, status: Int = 200) async throws -> Executor.Outcome {
        let step = "{id: a, get: /a, filters: [\(filters)], expect: {status: \(status)}, outputs: {x: $}}"
        let fixture = try ExecutionFixture(
            "graphs:\n  main:\n    chain: [\(step)]\n    outputs: {x: steps.a.outputs.x}\n",
            ["/a": .json(body, status: status)]
        )
        return await fixture.run()
    }

    @Test(arguments: [
        "{map: [[[[[\"${item}\"]]]]]}", "{select: list($)}", "{set: {a: item}}",
        "{group: {by: \"default(item.none, 1)\"}}",
    ])
    func `data that is nested too deep to be recorded is a failure`(stage: String) async throws {
        let outcome = try await run(Array(repeating: stage, count: 2100).joined(separator: ", "), on: "[{\"a\": 1}]")
        #expect(outcome.summary == "a:failed")
        let failure = try #require(outcome.result.steps[0].failure)
        #expect(
            failure.kind == .filter && failure.message.string.contains("the value is nested more than 2000 levels deep")
        )
    }

    @Test(arguments: [
        ("{map: {i: \"${item.a}\", n: 1}}", #"[{"a": 1}, {"a": "x"}]"#, #"[{"i": 1, "n": 1}, {"i": "x", "n": 1}]"#),
        ("{map: \"${item.a}\"}", #"[{"a": 1}, {"a": 2}]"#, "[1, 2]"),
        ("{map: {b: \"${$.a}\"}}", #"{"a": 1}"#, #"{"b": 1}"#),
        ("{map: \"n${item}\"}", "[1, 2]", #"["n1", "n2"]"#),
        ("{where: item.a > 1}", #"[{"a": 1}, {"a": 2}]"#, #"[{"a": 2}]"#),
        ("{where: \"item > $[0]\"}", "[1, 2, 0, 3]", "[2, 3]"),
        ("{pick: [a, c]}", #"{"c": 1, "b": 2, "a": 3}"#, #"{"a": 3, "c": 1}"#),
        ("{pick: [a]}", #"[{"a": 1, "b": 2}, {}]"#, #"[{"a": 1}, {}]"#),
        ("{omit: [a, z]}", #"{"a": 1, "b": 2}"#, #"{"b": 2}"#),
        ("{rename: {a: b, x: y}}", #"{"a": 1, "c": 3}"#, #"{"b": 1, "c": 3}"#),
        ("{rename: {a: b, b: a}}", #"{"a": 1, "b": 2}"#, #"{"b": 1, "a": 2}"#),
        ("{set: {c: item.a + 1, a: length($)}}", #"[{"a": 1}, {"a": 5}]"#, #"[{"a": 2, "c": 2}, {"a": 2, "c": 6}]"#),
        ("{set: {n: \"null\"}}", "{}", #"{"n": null}"#),
        ("{sort: {by: item.a}}", #"[{"a": 2}, {"a": 1.5}, {"a": 10}]"#, #"[{"a": 1.5}, {"a": 2}, {"a": 10}]"#),
        (
            "{sort: {by: item.a, order: desc}}", #"[{"a": "b", "i": 1}, {"a": "c"}, {"a": "b", "i": 2}]"#,
            #"[{"a": "c"}, {"a": "b", "i": 1}, {"a": "b", "i": 2}]"#
        ),
        ("{sort: {by: item.a}}", "[]", "[]"),
        ("{unique: {by: item.a}}", #"[{"a": 1}, {"a": 1.0, "b": 2}, {"a": "1"}]"#, #"[{"a": 1}, {"a": "1"}]"#),
        ("{limit: 2}", "[1, 2, 3]", "[1, 2]"),
        ("{limit: 0}", "[1]", "[]"),
        ("{flatten: true}", "[[1], 2, [[3]]]", "[1, 2, [3]]"),
        (
            "{zip: {time: $.t, temp: $.v}}", #"{"t": ["a", "b"], "v": [1, 2.50]}"#,
            #"[{"time": "a", "temp": 1}, {"time": "b", "temp": 2.50}]"#
        ),
        ("{zip: {a: $.t}}", #"{"t": []}"#, "[]"),
        ("{union: [$.a, $.b, $.a]}", #"{"a": [1], "b": [2, [3]]}"#, "[1, 2, [3], 1]"),
        ("{union: [\"default($.a, list())\", $.b]}", #"{"b": [2]}"#, "[2]"),
        (
            "{group: {by: item.c, as: of}}", #"[{"c": 1, "i": 1}, {"c": "1", "i": 2}, {"c": 1.0, "i": 3}]"#,
            #"[{"key": 1, "of": [{"c": 1, "i": 1}, {"c": 1.0, "i": 3}]}, {"key": "1", "of": [{"c": "1", "i": 2}]}]"#
        ),
        ("{group: {by: item % 2}}", "[1, 2, 3]", #"[{"key": 1, "items": [1, 3]}, {"key": 0, "items": [2]}]"#),
        ("{decode: json}", #""{\"a\": 1}""#, #"{"a": 1}"#),
        ("{decode: plist}", #""<plist><array><integer>1</integer></array></plist>""#, "[1]"),
        ("{schema: {type: array}}", "[1]", "[1]"),
        ("{select: $.a}, {default: [0]}", #"{"a": null}"#, "[0]"),
        ("{default: 1}", "false", "false"),
        ("{flatten: true}, {where: item > 1}, {limit: 1}", "[[1, 2], [3]]", "[2]"),
    ])
    func `a filter stage produces the expected data`(filters: String, body: String, result: String) async throws {
        let outcome = try await run(filters, on: body)
        let failure = outcome.result.steps.first?.failure?.message.string ?? "no outputs"
        let values = try #require(outcome.outputs.first?.values.value, "\(failure)")
        #expect(values["x"] == (try JSONParser().parse(Array(result.utf8))))
    }

    @Test(arguments: [
        ("{where: item.a > 1}", "{}", "'where' requires a list, but the data is an object"),
        (
            "{where: item.a > 1}", #"[{"a": 1}, {"b": 1}]"#,
            #"item 1: nothing matches item.a; available: 'b'; the item is {"b":1}"#
        ),
        (
            "{map: \"${capture(item.v, '^[0-9]+$')}\"}", #"[{"v": "1"}, {"v": "x", "n": 2}]"#,
            #"item 1: the pattern of capture() does not match the string; the item is {"v":"x","n":2}"#
        ),
        ("{set: {n: number(item.v)}}", #"[{"v": "x"}]"#, "item 0: "),
        (
            "{sort: {by: item}}", #"[1, "a"]"#,
            "'sort' cannot compare a string with a number: the values must be all numbers or all strings"
        ),
        (
            "{sort: {by: item}}", "[true]",
            "'sort' cannot compare a boolean with a boolean: the values must be all numbers or all strings"
        ),
        (
            "{rename: {a: b}}", #"{"a": 1, "b": 2}"#,
            "'rename' would give two members the name 'b'; remove one of them with 'omit'"
        ),
        (
            "{rename: {a: c, b: c}}", #"[{"a": 1}, {"a": 1, "b": 2}]"#,
            "item 1: 'rename' would give two members the name 'c'"
        ),
        ("{pick: [a]}", "[1]", "item 0: 'pick' requires an object or a list of objects, found a number; the item is 1"),
        (
            "{zip: {a: $.a, b: $.b}}", #"{"a": [1], "b": [1, 2]}"#,
            "'zip' requires lists of the same length: 'b' has 2 elements, but 'a' has 1"
        ),
        ("{zip: {a: $.a}}", #"{"a": 1}"#, "'zip' requires lists, found a number"),
        ("{union: [$.a]}", #"{"a": {}}"#, "'union' requires lists, found an object"),
        ("{group: {by: item.a}}", "{}", "'group' requires a list, but the data is an object"),
        ("{group: {by: item.a}}", "[{}]", "item 0: nothing matches item.a; the item is {}"),
        ("{decode: json}", "1", "'decode' requires a string, but the data is a number"),
        ("{decode: json}", #""{""#, "the string is not JSON: "),
        ("{decode: plist}", #""x""#, "the string is not a property list: "),
        ("{schema: {required: [a]}}", "{}", "the data is missing the key 'a'"),
        ("{schema: {format: email}}", "\"nope\"", "the data must be an email address"),
    ])
    func `a filter stage rejects data that it cannot use, with a message`(filters: String, body: String, words: String)
        async throws
    {
        let failure = try await run(filters, on: body).result.steps.first?.failure
        #expect(failure?.kind == .filter)
        #expect(failure?.message.string.hasPrefix(words) == true, "\(failure?.message.string ?? "it passed")")
        #expect(failure?.span != nil)
    }

    @Test func `a filter for any status also runs on unsuccessful responses, but other filters do not`() async throws {
        let text = """
            filters:
              code: [{require: {that: $.code == 0, message: $.text}}]
            graphs:
              main:
                chain:
                  - {id: a, get: /a, filters: [FILTER], expect: {status: 404}}

            """
        let reply = ["/a": ScriptedTransport.Reply.json(#"{"code": 1, "text": "no"}"#, status: 404)]
        let other = try ExecutionFixture(text.replacing("FILTER", with: "code"), reply)
        #expect(await other.run().summary == "a:passed")
        let any = try ExecutionFixture(text.replacing("FILTER", with: "{filter: code, for: any}"), reply)
        #expect(await any.run().result.steps.first?.failure?.message.string == "no")
    }
}
