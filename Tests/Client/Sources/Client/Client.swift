import Waybill

/// Uses the library as a package of another author does: only what is public, without any file or network.
@main struct Client {
    private static let manifest = """
        waybill: 1
        inputs: {name: {type: string, default: ann, description: Who asks.}}
        secrets: {key: {env: CLIENT_KEY}}
        endpoints:
          account:
            url: "http://shop.example/${inputs.name}"
            headers: {X-Key: "${secrets.key}"}
            retry: {times: 2, backoff: {first: 1h, max: 1h, jitter: false}}
            outputs: {id: $.id}
            mock: {body: {id: 1}}
        graphs:
          main:
            chain: [{id: login, call: account}]
            outputs: {id: steps.login.outputs.id}
        """

    static func main() async throws {
        let manifest = try Manifest(text: manifest, path: "client.yaml")
        check(manifest.inputs.map(\.types) == [["string"]] && !manifest.inputs[0].isRequired, "inputs")
        let plan = try manifest.plan(inputs: ["name": "bob"], only: ["login"])
        check(plan.steps.map(\.path) == ["main.login"] && plan.steps[0].kind == .request, "steps")
        try await checkRun(plan)
        try await checkMock(manifest)
        try await checkErrors(plan)
        print("passed: the library as a dependency by version")
    }

    /// A transport, a clock and a source of secrets instead of servers, time and the environment.
    private static func checkRun(_ plan: RunPlan) async throws {
        let options = ManifestRun.Options(
            transport: Shop(),
            clock: ImmediateClock(),
            secrets: { name async throws in name == "key" ? "hunter2" : nil }
        )
        let run = plan.run(options: options)
        var retries = 0
        for try await event in run {
            switch event.kind {
            case .requestRetrying: retries += 1
            case .runFinished(let outcome, _): check(outcome == .passed, "outcome")
            default: break
            }
        }
        let report = try await run.report
        check(retries == 1, "retries")
        check(report.folder == nil && report.outputs["main"]?["id"] == 7, "outputs")
    }

    private static func checkMock(_ manifest: Manifest) async throws {
        let secrets: @Sendable (String) async throws -> String? = { _ in "x" }
        let call = try manifest.plan(calling: "account")
        let mocked = try await call.run(options: ManifestRun.Options(usesMock: true, secrets: secrets)).report
        check(mocked.outputs["call"]?["data"]?["id"] == 1, "call")
        let server = try ManifestMockServer(for: manifest)
        check(server.url.hasPrefix("http://127.0.0.1:"), "mock server")
        await server.stop()
    }

    private static func checkErrors(_ plan: RunPlan) async throws {
        let run = plan.run(options: ManifestRun.Options(transport: Shop()))
        do throws(RunError) {
            for try await _ in run {}
            check(false, "a run without its secret")
        } catch {
            check(error.code == .missingSecret && error.diagnostics.count == 1, "code")
        }
        do throws(RunError) {
            try run.cancel(step: "main.logn")
            check(false, "an unknown step")
        } catch {
            check(error.code == .unknownStep, "unknown step")
        }
    }

    private static func check(_ isTrue: Bool, _ what: String) {
        precondition(isTrue, "\(what) failed")
    }
}

/// Fails once, and then responds.
private actor Shop: ManifestTransport {
    private var count = 0

    func send(_ request: ManifestTransportRequest) async throws -> ManifestTransportResponse {
        count += 1
        guard request.url == "http://shop.example/bob", request.headers["X-Key"] == "hunter2" else {
            return ManifestTransportResponse(status: 404)
        }
        if count == 1 { throw ManifestTransportError(.connect, "the shop is closed") }
        return ManifestTransportResponse(json: ["id": 7])
    }
}

/// A clock whose waits end at once.
private struct ImmediateClock: Clock {
    let base = ContinuousClock()
    var now: ContinuousClock.Instant { base.now }
    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
    }
}
