import Testing
import WaybillExecution
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

    @Test func `a step whose secret output has more than 64 KiB fails, and the message says why`() async throws {
        let (outcome, _) = try await run(String(repeating: "x", count: 70_000))
        #expect(outcome.summary == "login:failed")
        #expect(
            outcome.result.steps[0].failure?.message.string
                == "output 'token': a secret of 70000 bytes is too long: at most 65536 can be redacted"
        )
    }

    @Test func `a short secret that a response brings is warned of once, with the place that makes it a secret`()
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

    @Test func `a short password that is no secret of the manifest is warned of with its source`() async throws {
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

    @Test func `records are written as they are when a short secret only occurs in them, and a long one is warned of`()
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
        // Of the short secret itself.
        #expect(rows.warnings.count == 1)
        let secret = try await write(#"["the hunter2", "hunter2"]"#)
        #expect(secret.text == "\"the ***\"\n\"***\"\n")
        // Of the secret that is short, of the file and of outputs.json.
        #expect(secret.warnings.count == 3)
    }
}
