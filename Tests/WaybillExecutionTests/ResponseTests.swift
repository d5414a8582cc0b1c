import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct ResponseTests {
    /// The failure of a step, `a`, that receives this body, or nil if it passes.
    private func failure(
        _ step: String,
        _ body: String,
        status: Int = 200,
        service: String = ""
    ) async throws -> Failure? {
        let fixture = try ExecutionFixture(
            "    \(service)\ngraphs:\n  main:\n    chain:\n      - {id: a, get: /a, \(step)}\n",
            ["/a": .json(body, status: status)]
        )
        return await fixture.run().result.steps.first?.failure
    }

    @Test(
        arguments: [
            ("object: {required: [id]}", "[]", "expected an object, found a list"),
            ("object: {type: [object, \"null\"]}", "null", "expected an object, found null"),
            ("object: {required: [id]}", #"{"id":1}"#, nil),
            ("collection: {required: [id]}", #"{"id":1}"#, "expected a list, found an object"),
            ("collection: {required: [id]}", #"[{"id":1}]"#, nil),
            ("object: {properties: {at: {format: date}}}", #"{"at":"2026-02-30"}"#, "a date such as"),
            ("object: {properties: {at: {format: date}}}", #"{"at":"2026-02-03"}"#, nil),
            ("collection: {properties: {at: {format: email}}}", #"[{"at":"a"}]"#, "element 0"),
        ] as [(String, String, String?)]
    )
    func `the returned value must be an object or a list, with the formats of its schema`(
        returns: String,
        body: String,
        words: String?
    ) async throws {
        let fixture = try ExecutionFixture(
            "endpoints: {a: {path: /a, returns: {\(returns)}}}\ngraphs: {main: {chain: [{call: a}]}}",
            ["/a": .json(body)]
        )
        let failure = await fixture.run().result.steps.first?.failure
        if let words {
            #expect(failure?.kind == .output)
            #expect(failure?.message.string.contains(words) == true, "\(String(describing: failure?.message))")
        } else {
            #expect(failure == nil)
        }
    }

    private static let enveloped =
        "filters: [{envelope: {code: $.code, ok: [0, \"00\"], message: $.msg, data: $.data}}]"

    @Test(arguments: [
        ("", "{}", 404, "", "status", "the status is 404, not 2xx"),
        ("", #"{"error": {"message": "no"}}"#, 500, "", "status", "the status is 500, not 2xx: no"),
        ("", #"{"msg": "locked"}"#, 403, enveloped, "status", "the status is 403, not 2xx: locked"),
        ("expect: {status: [200, 3xx]}", "{}", 201, "", "status", "the status is 201, not 200 or 3xx"),
        ("", "[]", 206, "", "status", "the response has only a part of the content (status 206), but the request has"),
        ("expect: {status: 2xx}", "[]", 206, "", "status", "the response has only a part of the content"),
        ("expect: {status: 200}", "[]", 206, "", "status", "the status is 206, not 200"),
        ("", "nonsense", 200, "", "decode", "the response is not JSON: "),
        (
            "accept: [text/*]", "{}", 200, "", "content-type",
            "the content type is 'application/json', not one of text/*"
        ),
        ("", #"{"code": 7, "msg": "no"}"#, 200, enveloped, "filter", "no (code 7)"),
        ("", #"{"code": 7}"#, 200, enveloped, "filter", "the code of the response is not accepted (code 7)"),
        (
            "filters: [{select: $.a}, {select: $.b}]", #"{"a": {"c": 1}}"#, 200, "", "filter",
            "nothing matches $.b; available: 'c'"
        ),
        ("outputs: {x: $.x}", "{}", 200, "", "output", "output 'x': nothing matches $.x"),
        ("expect: {body: [$.a == 2]}", #"{"a": 1}"#, 200, "", "expect", "'$.a == 2' is false"),
        (
            "expect: {json: {a: [1, {b: 2}]}}", #"{"a": [1, {"b": 3}]}"#, 200, "", "expect",
            "the data at .a[1].b is 3, not 2"
        ),
        ("expect: {schema: {required: [b]}}", #"{"a": 1}"#, 200, "", "expect", "the data is missing the key 'b'"),
        ("expect: {schema: {format: email}}", "\"nope\"", 200, "", "expect", "the data must be an email address"),
    ])
    func `an unexpected response fails at its stage, with a message`(
        step: String,
        body: String,
        status: Int,
        service: String,
        kind: String,
        words: String
    ) async throws {
        let failure = try #require(try await failure(step, body, status: status, service: service))
        #expect(failure.kind.rawValue == kind)
        #expect(failure.message.string.hasPrefix(words), "\(failure.message)")
        #expect(failure.span != nil)
    }

    @Test(arguments: [0, 2 << 20])
    func `the words of a server are not looked for in a large body`(padding: Int) async throws {
        let body = #"{"message": "no"}"# + String(repeating: " ", count: padding)
        let failure = try #require(try await failure("", body, status: 500, service: ""))
        #expect(
            failure.message.string == (padding == 0 ? "the status is 500, not 2xx: no" : "the status is 500, not 2xx")
        )
    }

    @Test(arguments: [
        ("expect: {status: 404}", "", nil), ("expect: {status: 404, headers: {Content-Type: '*'}}", "", nil),
        ("expect: {status: 404}, outputs: {x: $.x}", "", nil),
        ("expect: {status: 404, body: [response.time < 1000000]}", "", nil),
        ("expect: {status: 404}, intercept: {afterSuccess: [{log: done}]}", "", nil),
        ("expect: {status: 404, body: [$ != 1]}", "", "decode"), ("expect: {status: 404, json: {a: 1}}", "", "decode"),
        ("expect: {status: 404, body: [response.body != 1]}", "", "decode"),
        ("expect: {status: 404, schema: {type: object}}", "", "decode"),
        ("expect: {status: 404}, filters: [{filter: f, for: any}]", "filters: {f: [{select: $.a}]}", "decode"),
        ("expect: {status: 404}, intercept: {afterSuccess: [{log: \"${$.a}\"}]}", "", "decode"),
        ("expect: {status: 404}, until: {that: response.status == 404}", "", "decode"),
        ("expect: {status: [200, 404]}", "      - {values: {x: \"default(steps.a.data, 1)\"}}", "decode"),
    ])
    func `the body of an expected error is decoded only if something reads it`(
        step: String,
        more: String,
        kind: String?
    ) async throws {
        let isStep = more.hasPrefix(" ")
        let fixture = try ExecutionFixture(
            (isStep ? "" : more + "\n") + "graphs:\n  main:\n    chain:\n      - {id: a, get: /a, \(step)}\n"
                + (isStep ? more : ""),
            ["/a": .json("no such thing", status: 404)]
        )
        let failure = await fixture.run().result.steps.first?.failure
        #expect(failure?.kind.rawValue == kind, "\(String(describing: failure?.message))")
    }

    @Test(arguments: [
        "post: /a", "get: /a, headers: {range: ''}", "get: /a, headers: {Range: bytes=0-9}",
        "get: /a, headers: {Range: 'Bytes = 49-'}", "get: /a, headers: {Range: bytes=-49}",
        "get: /a, headers: {Range: bytes=0-9}, expect: {status: 206}",
    ])
    func `a part of the content that was not asked for is a failure`(step: String) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, \(step)}]}}",
            ["/a": .part("[1]", contentRange: "bytes 50-52/100")]
        )
        let failure = try #require(await fixture.run().result.steps.first?.failure)
        #expect(failure.kind == .status)
        let words =
            step.contains("bytes=0-9")
            ? "the response has another part of the content, 'Content-Range: bytes 50-52/100', than the request asked for "
                + "with 'Range: bytes=0-9'" : "the response has "
        #expect(failure.message.string.hasPrefix(words), "\(failure.message)")
    }

    @Test func `a part of the content says which one it is`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, headers: {Range: bytes=50-}}]}}",
            ["/a": .json("[1]", status: 206)]
        )
        let failure = try #require(await fixture.run().result.steps.first?.failure)
        #expect(
            failure.message
                == "the response is a part of the content, but has no field 'Content-Range' that says which one"
        )
    }

    @Test(arguments: ["[1, 2]", "[]", ""])
    func `a part of the content has the length of its range`(body: String) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, headers: {Range: bytes=50-}, decoding: text}]}}",
            ["/a": .part(body, contentRange: "bytes 50-52/100")]
        )
        let failure = try #require(await fixture.run().result.steps.first?.failure)
        #expect(
            failure.message
                == "the response has \(body.utf8.count) bytes, not the 3 of 'Content-Range: bytes 50-52/100'"
        )
    }

    @Test func `the message of a server is kept up to a length`() async throws {
        let message = String(repeating: "a", count: 100_000)
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, filters: [{require: {that: 1 == 2, message: $.message}}]}]}}",
            ["/a": .json(#"{"message": "\#(message)"}"#)]
        )
        let failure = try #require(await fixture.run().result.steps.first?.failure)
        #expect((8_192...8_200).contains(failure.message.string.utf8.count))
    }

    @Test(arguments: ["bytes=50-52", "bytes=50-99", "bytes=50-", "bytes=-50", "bytes=0-9, 50-52", "items=0-9"])
    func `a part of the content that starts where the range starts is accepted`(range: String) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, headers: {Range: '\(range)'}}]}}",
            ["/a": .part("[1]", contentRange: "bytes 50-52/100")]
        )
        #expect(await fixture.run().result.steps.first?.failure == nil)
    }

    @Test(arguments: ["get: /a, headers: {range: items=0-9}", "get: /a, expect: {status: [200, 206]}"])
    func `a part of the content is accepted if it was asked for`(step: String) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, \(step)}]}}",
            ["/a": .json("[1]", status: 206)]
        )
        #expect(await fixture.run().result.steps.first?.failure == nil)
    }

    @Test(arguments: [
        ("", "", 204, enveloped),
        ("expect: {status: 404, json: {m: 1}}", #"{"m": 1, "n": 2}"#, 404, ""),
        ("expect: {status: 404}", #"{"code": 7}"#, 404, enveloped),
        ("", #"{"code": "0", "data": 1}"#, 200, enveloped),
        ("", #"{"code": "00"}"#, 200, enveloped),
        ("filters: [{select: {path: $.x, default: 1}}], expect: {body: [$ == 1]}", "{}", 200, ""),
        ("expect: {headers: {content-type: application/*}, maxTime: 1h}", "{}", 200, ""),
        ("expect: {json: {a: 1.0}}", #"{"a": 1}"#, 200, ""),
    ])
    func `an expected response passes`(
        step: String,
        body: String,
        status: Int,
        service: String
    ) async throws {
        let failure = try await failure(step, body, status: status, service: service)
        #expect(failure == nil, "\(failure?.message.string ?? "")")
    }

    @Test(arguments: [
        ("X-A", "b", ["b", "b"], true), ("X-A", "a, b", ["a", "b"], true), ("X-A", "*b", ["a", "b"], true),
        ("X-A", "b", ["a", "b"], false), ("X-A", "b", ["b", "a"], false), ("Set-Cookie", "b=*", ["a=1", "b=2"], true),
    ])
    func `all fields with an expected name must match, but one of several cookies`(
        name: String,
        glob: String,
        values: [String],
        passes: Bool
    ) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, expect: {headers: {\(name): '\(glob)'}}}]}}",
            ["/a": .linked("{}", values, as: name)]
        )
        #expect((await fixture.run().result.steps.first?.failure == nil) == passes)
    }

    @Test func `every difference from the expected JSON is reported, at the line of its member`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: a
                    get: /a
                    expect:
                      json:
                        id: 1
                        name: Jim
                        tag: x
                        address:
                          zip: "123"
                          town: {id: 1}
                        list:
                          - 1
                          - a: 2
                            b: ${concat('x', 'y')}

            """,
            [
                "/a": .json(
                    #"{"id": "seven", "name": "Joe", "address": {"zip": 123, "town": 1}, "list": [1, {"a": 3, "b": 1}]}"#
                )
            ]
        )
        let failure = try #require(await fixture.run().result.steps.first?.failure)
        #expect(failure.message.string == "the data has 7 differences from 'json'")
        #expect(
            failure.details.map { "\($0.span?.start.line ?? 0): \($0.message)" } == [
                #"12: the data at .id is "seven", not 1"#, #"13: the data at .name is "Joe", not "Jim""#,
                "14: the data has no 'tag'", #"16: the data at .address.zip is 123, not "123""#,
                #"17: the data at .address.town is 1, not {"id":1}"#, "20: the data at .list[1].a is 3, not 2",
                #"21: the data at .list[1].b is 1, not "xy""#,
            ]
        )
    }

    @Test func `at most 20 differences and 20 violations are reported, and the number of further ones`() async throws {
        let wanted = (0..<25).map { "m\($0): 1" }.joined(separator: ", ")
        let expectation =
            "expect: {json: {\(wanted)}, schema: {required: [\((0..<22).map { "m\($0)" }.joined(separator: ", "))]}}"
        let failure = try #require(try await failure(expectation, "{}"))
        #expect(failure.message.string == "2 expectations failed")
        #expect(failure.details.count == 42)
        #expect(failure.details[20].message.string == "there are 5 more differences from 'json'")
        #expect(failure.details[41].message.string == "there are 2 more violations of 'schema'")
        let numbers = "[\((0..<2_000).map { "\($0)" }.joined(separator: ","))]"
        let many = try #require(try await self.failure("expect: {schema: {items: {type: string}}}", numbers))
        #expect(many.message.string == "the data has at least 1000 violations of 'schema'")
        #expect(many.details.count == 21)
    }

    @Test(arguments: [
        ("text/html", ["application/json"], "the content type is 'text/html', not one of application/json"),
        ("application/json; charset=utf-8", ["application/json"], nil),
        ("text/html", ["application/json", "text/*"], nil),
    ])
    func `each of two fields Content-Type must be accepted`(other: String, accept: [String], message: String?)
        async throws
    {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, accept: \(accept)}]}}",
            ["/a": .linked("{}", [other], as: "Content-Type")]
        )
        #expect(await fixture.run().result.steps.first?.failure?.message.string == message)
    }

    @Test(arguments: [
        ("decoding: json", 200, "'decoding: json' requires JSON"),
        ("decoding: json", 201, "'decoding: json' requires JSON"),
        ("decoding: plist", 200, "'decoding: plist' requires a property list"),
        (
            "accept: [application/json]", 200,
            "'accept' requires JSON; for a response without a body, set 'accept: null'"
        ),
        ("accept: [application/json, \"*/*+json\"]", 202, "'accept' requires JSON"),
        ("decoding: json, paginate: {next: $.next, items: $}", 200, "'decoding: json' requires JSON"),
    ])
    func `a response without a body is a failure if its format requires one`(
        step: String,
        status: Int,
        words: String
    ) async throws {
        let failure = try #require(try await failure(step, "", status: status))
        #expect(failure.kind == .decode)
        #expect(failure.message.string.hasPrefix("the response has no body, but \(words)"), "\(failure.message)")
    }

    @Test(arguments: [
        ("get: /a, decoding: json", 204), ("get: /a, decoding: json", 205), ("head: /a, decoding: json", 200),
        ("get: /a, decoding: plist", 204), ("get: /a, decoding: plist", 205), ("head: /a, decoding: plist", 200),
        ("get: /a, decoding: plist, expect: {status: 304}", 304),
        ("get: /a, decoding: json, expect: {status: 304}", 304),
        ("get: /a, decoding: json, redirects: false, expect: {status: 302}", 302),
        ("get: /a, accept: [application/json, text/html]", 200), ("get: /a", 200),
        ("get: /a, decoding: text, accept: [application/json]", 200),
    ])
    func `a response without a body passes if no body is expected or required`(
        step: String,
        status: Int
    ) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, \(step)}]}}\n",
            ["/a": .json("", status: status)]
        )
        #expect(await fixture.run().summary == "a:passed")
    }

    @Test func `the body of a response without content by definition is not its data`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, filters: [{select: $.n}]}], outputs: {data: steps.a.data}}}\n",
            ["/a": .json(#"{"n": 1}"#, status: 205)]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:passed")
        #expect(outcome.outputs.first?.values.value == ["data": .null])
    }

    @Test func `all failed expectations are reported together, each at its location`() async throws {
        let failure = try #require(
            try await failure("expect: {json: {a: 2}, body: [$.a == 3, $.b == 1]}", #"{"a": 1}"#)
        )
        #expect(failure.message.string == "3 expectations failed")
        #expect(failure.details.count == 3)
        #expect(Set(failure.details.map { $0.span?.start.column }).count == 3)
    }

    // MARK: Rejected responses

    /// Runs a POST that creates something, with a step of `finally` that deletes it.
    private func create(_ settings: String, _ body: String, status: Int) async throws -> (Failure?, [String]) {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: create, post: /things, \(settings)}]
                finally:
                  - when: exists(steps.create.outputs.id)
                    delete: /things/${steps.create.outputs.id}
            """,
            ["/things": .json(body, status: status)]
        )
        return (await fixture.run().result.steps.first?.failure, fixture.transport.paths)
    }

    @Test(arguments: [
        ("expect: {status: 200}, outputs: {id: $.id}", "the status is 201, not 200"),
        ("expect: {status: 200}, outputs: {id: $.id, x: $.missing}", "the status is 201, not 200"),
        ("outputs: {x: $.missing, id: $.id}", "output 'x': nothing matches $.missing"),
        ("filters: [{select: $.thing}], expect: {status: 200}, outputs: {id: $.id}", "the status is 201, not 200"),
        ("expect: {status: 200}, until: {that: $.id == 7}, outputs: {id: $.id}", "the status is 201, not 200"),
    ])
    func `a created resource is deleted even if the status or another output is not as expected`(
        settings: String,
        message: String
    ) async throws {
        let (failure, paths) = try await create(settings, #"{"id": 7, "thing": {"id": 7}}"#, status: 201)
        #expect(failure?.message.string.hasPrefix(message) == true, "\(String(describing: failure?.message))")
        #expect(paths == ["/things", "/things/7"])
    }

    @Test(arguments: [
        ("expect: {status: 200}, outputs: {id: $.x}", "{}", 201),
        ("expect: {status: 200}, outputs: {id: $.id}", "", 201),
        ("expect: {status: 200}, outputs: {id: $.id}", "no JSON", 201), ("outputs: {id: $.id}", #"{"id": 7}"#, 500),
        ("filters: [{require: $.ok}], expect: {status: 200}, outputs: {id: $.id}", #"{"id": 7, "ok": false}"#, 201),
    ])
    func `only the status of a rejected response is reported if its data cannot be used`(
        settings: String,
        body: String,
        status: Int
    ) async throws {
        let (failure, paths) = try await create(settings, body, status: status)
        #expect(failure?.kind == .status)
        #expect(failure?.details == [])
        #expect(paths == ["/things"])
    }

    @Test(arguments: [
        (
            "expect: {status: 200, json: {a: 2}, headers: {X-A: y}}", FailureKind.status,
            [
                "the status is 201, not 200", "header field 'X-A' is missing",
                "the data at .a is 1, not 2",
            ]
        ),
        (
            "outputs: {x: $.x, y: $.y}, expect: {status: 201, json: {a: 2}}", .output,
            ["output 'x': nothing matches $.x", "output 'y': nothing matches $.y", "the data at .a is 1, not 2"]
        ),
        (
            "expect: {status: 200, json: {a: 2}}, until: {that: $.a == 1}", .status,
            ["the status is 201, not 200", "the data at .a is 1, not 2"]
        ),
    ])
    func `a wrong status, missing outputs and other failed expectations are reported together`(
        settings: String,
        kind: FailureKind,
        details: [String]
    ) async throws {
        let failure = try #require(try await failure(settings, #"{"a": 1}"#, status: 201))
        #expect(failure.kind == kind)
        let found = failure.details.map(\.message.string)
        #expect(found.count == details.count)
        for (found, expected) in zip(found, details) { #expect(found.hasPrefix(expected)) }
        #expect(failure.message.string == found.first)
    }

    @Test(arguments: [
        ("filters: [{require: {that: $.code == 0, code: $.code}}]", JSON.number(JSONNumber(40301))),
        ("filters: [{envelope: {code: $.code}}]", .number(JSONNumber(40301))),
        ("filters: [{envelope: {code: $.text}}]", "E7"), ("filters: [{envelope: {code: $.flag}}]", true),
        ("filters: [{envelope: {code: $.list}}]", "[1]"),
        ("filters: [{envelope: {code: $.large}}]", .number(JSONNumber(parsing: "12345678901234567890")!)),
        ("expect: {status: 404}", .number(JSONNumber(200))),
    ])
    func `the code of a failure has the same type as in the response`(settings: String, code: JSON) async throws {
        let body = #"{"code": 40301, "text": "E7", "flag": true, "list": [1], "large": 12345678901234567890}"#
        let failure = try #require(try await failure(settings, body))
        #expect(failure.serverCode?.value == code)
        #expect(failure.json["code"] == code)
    }

    @Test func `duplicate names in a response cause one warning, and the last value is used`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, outputs: {x: $.x}}], outputs: {x: steps.a.outputs.x}}}",
            ["/a": .json(#"{"x": 1, "x": 2, "y": {"z": 1, "z": 2}}"#)]
        )
        let listener = EventListener()
        let outcome = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
        #expect(outcome.outputs.first?.values.value == ["x": 2])
        #expect(listener.warnings == ["an object in the response has the name 'x' twice; the last value is used"])
    }

    @Test(arguments: [
        (
            ScriptedTransport.Reply.json(#"{"x": "a\ud800"}"#),
            "the response has an escape that is half of a surrogate pair, which is not a character (at byte 8); "
                + "U+FFFD and the four digits were used instead"
        ),
        (
            .text("{}\n\n[\"\\udc00\\udc00\"]\n\"\\udfff\"", type: "application/x-ndjson"),
            "the response has 3 escapes that are half of a surrogate pair, which is not a character (the first at byte 6); "
                + "U+FFFD and the four digits were used instead"
        ),
    ])
    func `halves of surrogate pairs in a response are reported once`(
        response: ScriptedTransport.Reply,
        warning: String
    ) async throws {
        let fixture = try ExecutionFixture("graphs: {main: {chain: [{get: /a}]}}", ["/a": response])
        let listener = EventListener()
        _ = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
        #expect(listener.warnings == [warning])
    }

    @Test func `outputs survive a failed expectation`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, get: /a, onFailure: continue, outputs: {x: $.x}, expect: {body: [$.x == 2]}}
                outputs: {x: "default(steps.a.outputs.x, 0)"}
            """,
            ["/a": .json(#"{"x": 1}"#)]
        )
        #expect(await fixture.run().outputs.first?.values.value == ["x": 1])
    }

    @Test func `numbers are passed on exactly as received`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, get: /a, outputs: {x: $.x, y: $.y}}
                  - {post: /b, body: {json: {x: "${steps.a.outputs.x}"}}, query: {y: "${steps.a.outputs.y}"}}
            """,
            ["/a": .json(#"{"x": 12345678901234567890, "y": 1.10}"#)]
        )
        _ = await fixture.run()
        let sent = try #require(fixture.transport.sent.last)
        #expect(sent.url.hasSuffix("?y=1.10"))
        #expect(sent.body == .bytes(Array(#"{"x":12345678901234567890}"#.utf8)))
    }
}
