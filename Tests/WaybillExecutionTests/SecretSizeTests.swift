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
}
