import Testing
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillTestSupport

/// Secrets that are too long or too short to be redacted everywhere.
@Suite(.timeLimit(.minutes(5))) struct SecretSizeTests {
    private static let manifest = """
        graphs:
          main:
            chain:
              - {id: login, post: /login, outputs: {token: {value: $.token, secret: true}}}
        """

    private func run(_ token: String) async throws -> (outcome: Executor.Outcome, warnings: [String]) {
        let fixture = try ExecutionFixture(Self.manifest, ["/login": .json("{\"token\": \"\(token)\"}")])
        let (outcome, events) = try await fixture.run(into: TemporaryFolder())
        let warnings = events.compactMap { event -> String? in
            guard case .warning(let message, _) = event.kind else { return nil }
            return message.string
        }
        return (outcome, warnings)
    }

    @Test func `a step whose secret output is larger than 64 KiB fails with a message`() async throws {
        let (outcome, _) = try await run(String(repeating: "x", count: 70_000))
        #expect(outcome.summary == "login:failed")
        #expect(
            outcome.result.steps[0].failure?.message.string
                == "output 'token': a secret of 70000 bytes is too long: at most 65536 can be redacted"
        )
    }

    @Test func `a short secret in a response causes one warning, with the location that declares it secret`()
        async throws
    {
        let (outcome, warnings) = try await run("1234")
        #expect(outcome.summary == "login:passed")
        #expect(warnings.count == 1)
        let warning = try #require(warnings.first)
        #expect(warning.hasPrefix("a secret of fewer than 6 bytes in the value at "))
        #expect(warning.contains("manifest.yaml:8:60 is redacted only where it is a whole value"))
        #expect(try await run("123456").warnings == [])
    }

    @Test func `a short password that is not a manifest secret causes a warning with its source`() async throws {
        func warning(_ auth: String) async throws -> String {
            let exchange = try await WireExchange.run(
                "{id: a, get: /a, auth: \(auth)}",
                files: ["netrc": Array("machine 127.0.0.1 login user password 1234\n".utf8)]
            )
            try #require(exchange.warnings.count == 1, "\(exchange.warnings)")
            return exchange.warnings[0]
        }
        let netrc = try await warning("{netrc: netrc}")
        #expect(netrc.hasPrefix("a secret of fewer than 6 bytes in the netrc file ") && netrc.contains("/netrc is"))
        let basic = try await warning("{basic: {username: someone, password: abc}}")
        #expect(basic.hasPrefix("a secret of fewer than 6 bytes in the value at ") && basic.contains("manifest.yaml:"))
    }

    @Test func `a short secret in records is written unchanged, a long one is redacted with a warning`()
        async throws
    {
        func write(_ body: String) async throws -> (text: String?, warnings: [RunEvent]) {
            let folder = TemporaryFolder()
            let fixture = try ExecutionFixture(
                """
                secrets: {short: {env: A}, long: {env: B}}
                graphs:
                  main:
                    chain:
                      - id: rows
                        get: /rows
                        query: {a: "${sha256(secrets.short)}", b: "${sha256(secrets.long)}"}
                        outputs: {first: "$[0]"}
                        write: {to: a.ndjson}
                    outputs: {first: steps.rows.outputs.first}
                """
            ) { _ in .json(body) }
            let (_, events) = try await fixture.run(into: folder, secrets: ["short": "test", "long": "hunter2"])
            return (folder.read("a.ndjson"), events.filter { if case .warning = $0.kind { true } else { false } })
        }
        let rows = try await write(#"["my test row", 1, "test"]"#)
        #expect(rows.text == "\"my test row\"\n1\n\"test\"\n")
        // The warning about the short secret itself.
        #expect(rows.warnings.count == 1)
        let secret = try await write(#"["the hunter2", "hunter2"]"#)
        #expect(secret.text == "\"the ***\"\n\"***\"\n")
        // The warnings about the short secret, the file and outputs.json.
        #expect(secret.warnings.count == 3)
    }

    @Test(arguments: [
        "get: /a, headers: {X-Pin: \"a ${secrets.pin}\"}", "get: /a, userAgent: \"w/${secrets.pin}\"",
        "get: /a, headers: {X-Pin: \"Basic ${base64(concat('a:', secrets.pin))}\"}",
        "get: \"/x/a-${secrets.pin}/y\"", "get: \"/x?a=b${secrets.pin}&c=d\"", "get: \"/x?${secrets.pin}\"",
        "get: \"/x#${secrets.pin}\"", "get: \"http://s/x/a${secrets.pin}\"",
        "get: /a, query: {q: \"b${secrets.pin}\", r: \"a/${secrets.pin}\"}",
        "get: /a, auth: {apiKey: {in: query, name: k, value: \"&${secrets.pin}\"}}",
        "post: /a, body: {text: \"it is ${secrets.pin}.\"}", "post: /a, params: {a: \"b${secrets.pin}c\"}",
        "post: /a, body: {json: {a: [\"it is ${secrets.pin}.\"]}}",
        "post: /a, body: {multipart: [{name: a, text: \"it is ${secrets.pin}.\"}]}",
        "get: /a, paginate: {next: \"concat('/n?x=b', secrets.pin)\", max: 2}",
        "get: /a, paginate: {next: \"concat('x://b', secrets.pin)\"}",
        "get: /a, paginate: {cursor: {from: \"concat('b', secrets.pin)\", query: c}, max: 2}",
        "get: /a, timeout: \"b${secrets.pin}\"",
        "get: /a, download: {to: f, checksum: {sha256: \"concat('b', secrets.pin)\"}}",
        "get: /a, expect: {headers: {Content-Type: \"b${secrets.pin}\"}}",
        "get: /a, expect: {json: {a: \"it is ${secrets.pin}.\"}}",
        "get: /a, expect: {equals: {a: \"it is ${secrets.pin}.\"}}",
        "get: /a, expect: {body: [{that: $.a == 2, message: \"it is ${secrets.pin}.\"}]}",
    ])
    func `a short secret that the manifest inserts into a longer string is in no file of the run`(
        step: String
    ) async throws {
        let folder = TemporaryFolder()
        let fixture = try ExecutionFixture(
            "secrets: {pin: {env: A}}\ngraphs: {main: {chain: [{id: a, \(step), debug: true}]}}\n"
        ) { _ in .json("{\"a\": 1}") }
        let (outcome, events) = try await fixture.run(into: folder, secrets: ["pin": "7391"])
        #expect(events.contains { if case .requestWillSend = $0.kind { true } else { step.contains("timeout") } })
        let failure = outcome.result.steps[0].failure
        #expect(failure?.message.string.contains("7391") != true)
        #expect(failure?.details.contains { $0.message.string.contains("7391") } != true)
        for name in folder.names() {
            let text = folder.read(name) ?? ""
            #expect(!text.contains("7391") && !text.contains(Base64.encode(Array("a:7391".utf8))), "\(name): \(text)")
        }
    }

    @Test func `the other parameters of a query with a secret are shown`() async throws {
        let fixture = try ExecutionFixture(
            """
            secrets: {pin: {env: A}}
            graphs: {main: {chain: [{id: a, get: /a, query: {page: 1}, params: {k: "${secrets.pin}", b: {c: d}}}]}}

            """
        )
        let outcome = await fixture.run(secrets: ["pin": "7391"])
        #expect(outcome.result.steps[0].url?.string == "http://s/a?page=1&k=***&b%5Bc%5D=d")
    }

    @Test func `an empty secret in an address hides nothing`() async throws {
        let fixture = try ExecutionFixture(
            "secrets: {pin: {env: A}}\ngraphs: {main: {chain: [{id: a, get: \"/x/a${secrets.pin}\"}]}}\n"
        )
        #expect(await fixture.run(secrets: ["pin": ""]).result.steps[0].url?.string == "http://s/x/a")
    }

    @Test func `the message of an expectation masks only the secret`() async throws {
        let fixture = try ExecutionFixture(
            """
            secrets: {pin: {env: A}}
            graphs:
              main:
                chain:
                  - get: /a
                    expect: {body: [{that: $.a == 2, message: "the pin ${secrets.pin} is ${'wrong'}"}]}
            """
        ) { _ in .json("{\"a\": 1}") }
        let failure = await fixture.run(secrets: ["pin": "7391"]).result.steps[0].failure
        #expect(failure?.message.string == "the pin *** is wrong: '$.a == 2' is false: $.a is 1")
    }

    @Test func `an expectation does not show a field whose name means a credential`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{get: /a, expect: {headers: {Set-Cookie: other}}}]}}\n"
        ) { _ in .cookie("id=abcdef") }
        let failure = await fixture.run().result.steps[0].failure
        #expect(failure?.message.string == "header field 'Set-Cookie' is '***', not 'other'")
    }
}
