import Synchronization
import Testing
import WaybillFormats
import WaybillJSON
import WaybillPlatform
import WaybillTestSupport

/// Tokens that are kept between runs, and the commands that create and remove them.
@Suite(.timeLimit(.minutes(5))) struct LoginTests {
    /// A server of tokens, which replaces each refresh token that is used, and of what they protect.
    private final class TokenServer: Sendable {
        private struct State {
            var issued = 0
            var polls = 0
            /// The forms that were received, by path.
            var forms: [String: [String]] = [:]
            var isExpired = false
            /// How many requests for a token fail with status 503.
            var failures = 0
            /// How long a request for a token takes, in milliseconds.
            var delay: UInt32 = 0
            /// The members of an answer with a token besides the tokens.
            var rest = "\"token_type\": \"Bearer\", \"expires_in\": 3600"
            /// The token file when the protected content was requested.
            var stored: [String] = []
        }

        private let state = Mutex(State())
        private let file: String

        init(storing file: String) { self.file = file }

        func forms(_ path: String) -> [String] { state.withLock { $0.forms[path] ?? [] } }
        var stored: [String] { state.withLock { $0.stored } }

        /// Refuses the newest access token from now on.
        func expire() { state.withLock { $0.isExpired = true } }

        func answerTokens(failures: Int = 0, delay: UInt32 = 0, with rest: String? = nil) {
            state.withLock { ($0.failures, $0.delay, $0.rest) = (failures, delay, rest ?? $0.rest) }
        }

        func answer(_ request: ReceivedRequest) -> ServerResponse {
            let form = String(decoding: request.body, as: UTF8.self)
            if request.target == "/token" { usleep(1000 * state.withLock { $0.delay }) }
            return state.withLock { state in
                state.forms[request.target, default: []].append(form)
                switch request.target {
                case "/device":
                    return .text(
                        #"{"device_code": "DEVICE-CODE", "user_code": "WDJB", "verification_uri": "http://login/x", "#
                            + #""interval": 1, "expires_in": 60}"#
                    )
                case "/token":
                    if state.failures > 0 {
                        state.failures -= 1
                        return ServerResponse(status: 503)
                    }
                    if form.contains("device_code=") {
                        state.polls += 1
                        if state.polls == 1 { return Self.refusal("authorization_pending") }
                    }
                    if form.contains("refresh_token="), !form.contains("refresh_token=REFRESH-\(state.issued)&"),
                        !form.hasSuffix("refresh_token=REFRESH-\(state.issued)")
                    {
                        return Self.refusal("invalid_grant")
                    }
                    state.issued += 1
                    state.isExpired = false
                    let (access, refresh) = ("ACCESS-\(state.issued)", "REFRESH-\(state.issued)")
                    return .text(
                        "{\"access_token\": \"\(access)\", \(state.rest), \"refresh_token\": \"\(refresh)\"}"
                    )
                case "/items":
                    let isGood =
                        !state.isExpired && request.values(named: "Authorization") == ["Bearer ACCESS-\(state.issued)"]
                    let stored = TemporaryFolder.contents(of: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
                    if isGood { state.stored.append(stored) }
                    return ServerResponse(status: isGood ? 200 : 401)
                default: return ServerResponse(status: 200)
                }
            }
        }

        private static func refusal(_ code: String) -> ServerResponse {
            ServerResponse(status: 400, body: Array("{\"error\": \"\(code)\"}".utf8))
        }
    }

    private let folder = TemporaryFolder()

    /// Writes the manifest `m.yaml`.
    private func write(_ grant: String, at url: String, client: String = "id", store: String = "tokens.json") {
        folder.write(
            """
            waybill: 1
            services:
              s:
                baseURL: "\(url)"
                auth:
                  oauth2: {tokenURL: "\(url)/token", clientId: \(client), scope: read, store: \(store), \(grant)}
            graphs: {main: {chain: [{get: /items}]}}

            """,
            to: "m.yaml"
        )
    }

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    private func run() async throws -> Command { try await waybill("run", "m.yaml") }

    private func withServer(_ body: (TokenServer, String) async throws -> Void) async throws {
        let tokens = TokenServer(storing: "\(folder.path)/tokens.json")
        try await LoopbackServer.run(answer: { tokens.answer($0) }) { server in
            try await body(tokens, String(server.url("").dropLast(server.url("").hasSuffix("/") ? 1 : 0)))
        }
    }

    @Test func `a login on another device is used and renewed by runs until a logout`() async throws {
        try await withServer { server, url in
            write("grant: device, deviceURL: \"\(url)/device\", revocationURL: \"\(url)/revoke\"", at: url)
            let before = try await run()
            #expect(before.status == 2 && before.errorText.contains("waybill login m.yaml s"), "\(before.errorText)")
            #expect(server.forms("/items") == [] && server.forms("/token") == [])

            let login = try await waybill("login", "m.yaml", "s")
            #expect(login.status == 0, "\(login.errorText)")
            #expect(login.outputText.hasPrefix("s: open http://login/x and enter the code WDJB\n"))
            #expect(server.forms("/device") == ["scope=read&client_id=id"])
            #expect(server.forms("/token").count == 2)
            var status = stat()
            let found = stat("\(folder.path)/tokens.json", &status)
            #expect(found == 0 && status.st_mode & 0o777 == 0o600)

            // The access token of the login is still valid.
            #expect(try await run().status == 0)
            #expect(server.forms("/token").count == 2)
            server.expire()
            let renewed = try await run()
            #expect(renewed.status == 0, "\(renewed.errorText)")
            #expect(
                server.forms("/token").dropFirst(2) == ["grant_type=refresh_token&refresh_token=REFRESH-1&client_id=id"]
            )
            // The new tokens were stored before they were used.
            #expect(
                server.stored.last?.contains("REFRESH-2") == true && server.stored.last?.contains("REFRESH-1") == false
            )
            #expect(try await run().status == 0)

            let written = try await Command.run(
                "/usr/bin/env",
                ["grep", "-rE", "ACCESS-|REFRESH-|DEVICE-CODE", "waybill-results"],
                in: folder.path
            )
            #expect(written.outputText == "")
            #expect(try await waybill("logout", "m.yaml").outputText == "s: logged out\n")
            #expect(server.forms("/revoke") == ["token=REFRESH-2&token_type_hint=refresh_token&client_id=id"])
            #expect(folder.read("tokens.json")?.contains("REFRESH") == false)
            #expect(try await run().status == 2)
        }
    }

    @Test(arguments: ["code=C0DE", "error=access_denied&error_description=not+you"])
    func `a login in the browser exchanges the code that the redirect has`(answer: String) async throws {
        try await withServer { server, url in
            write("grant: authorization_code, authorizationURL: \"\(url)/login?a=b\"", at: url)
            // Stands for the browser. The first redirect is not an answer to this login.
            let script = """
                import subprocess, sys, urllib.error, urllib.parse, urllib.request
                process = subprocess.Popen([sys.argv[1], "login", "m.yaml"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                process.stdout.readline()
                address = process.stdout.readline().decode().strip()
                fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
                def redirect(state):
                    try:
                        target = fields["redirect_uri"] + "?" + sys.argv[2] + "&state=" + state
                        return urllib.request.urlopen(target, timeout=20).status
                    except urllib.error.HTTPError as error:
                        return error.code
                print(redirect("wrong"), redirect(fields["state"]), fields["response_type"], fields["scope"], fields["a"])
                print(fields["code_challenge_method"], fields["code_challenge"], fields["redirect_uri"])
                out, err = process.communicate(timeout=20)
                print(process.returncode, err.decode())
                """
            let login = try await Command.run(
                "/usr/bin/env",
                ["python3", "-c", script, CommandCase.program, answer],
                in: folder.path
            )
            let lines = login.outputText.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.first == "400 200 code read b", "\(login.errorText)")
            guard answer.hasPrefix("code") else {
                #expect(lines[2].hasPrefix("3 ") && lines[2].contains("access_denied (not you)"), "\(login.outputText)")
                #expect(server.forms("/token") == [])
                return
            }
            #expect(lines[2] == "0 ", "\(login.outputText)")
            let words = lines[1].split(separator: " ")
            let form = try #require(server.forms("/token").first)
            let verifier = try #require(form.firstMatch(of: #/code_verifier=([^&]+)/#)).1
            #expect(words[0] == "S256")
            #expect(words[1] == Base64.encode(Digest.value(of: Array(verifier.utf8), .sha256), urlSafe: true))
            #expect(
                form.contains(
                    "grant_type=authorization_code&code=C0DE&redirect_uri=\(PercentEncoding.form(String(words[2])))&"
                )
            )
            #expect(try await run().status == 0)
            // The system still knows the connections of the first login.
            write(
                "grant: authorization_code, authorizationURL: \"\(url)/login?a=b\", redirectURL: \"\(words[2])\"",
                at: url
            )
            let again = try await Command.run(
                "/usr/bin/env",
                ["python3", "-c", script, CommandCase.program, answer],
                in: folder.path
            )
            #expect(again.outputText.hasPrefix("400 200 code read b"), "\(again.outputText)\(again.errorText)")
        }
    }

    @Test func `runs at the same time renew tokens once`() async throws {
        try await withServer { server, url in
            write("grant: refresh_token, refreshToken: REFRESH-0", at: url)
            async let runs = [run(), run(), run()]
            let statuses = try await runs.map(\.status)
            #expect(statuses == [0, 0, 0])
            #expect(
                server.forms("/token") == ["grant_type=refresh_token&refresh_token=REFRESH-0&scope=read&client_id=id"]
            )
            // The manifest still has the first refresh token, which the server no longer accepts.
            server.expire()
            #expect(try await run().status == 0)
            #expect(server.forms("/token").last?.contains("REFRESH-1") == true)
        }
    }

    @Test func `tokens that a server has sent are not lost`() async throws {
        try await withServer { server, url in
            write("grant: refresh_token, refreshToken: REFRESH-0", at: url)
            // Another step fails while the server renews the token.
            server.answerTokens(delay: 700)
            let (manifest, failing) = ("m.yaml", "{get: /other, auth: none, expect: {status: 418}}")
            let text = try #require(folder.read(manifest))
            folder.write(
                text.replacing("{chain: [{get: /items}]}", with: "{batch: [{get: /items}, \(failing)]}"),
                to: manifest
            )
            #expect(try await run().status == 1)
            #expect(folder.read("tokens.json")?.contains("REFRESH-1") == true)
            #expect(server.stored == [])

            // An answer without a usable access token.
            folder.write(text, to: manifest)
            server.expire()
            server.answerTokens(with: "\"token_type\": \"mac\"")
            #expect(try await run().status == 1)
            #expect(folder.read("tokens.json")?.contains("REFRESH-2") == true)

            // A process was killed before the file was in its place.
            server.answerTokens(failures: 1, with: "\"token_type\": \"Bearer\", \"expires_in\": 20")
            rename("\(folder.path)/tokens.json", "\(folder.path)/.tokens.json.0.tmp")
            #expect(try await run().status == 0)
            #expect(server.forms("/token").last?.contains("REFRESH-2") == true)

            // A short token is used by the next run, which need not write.
            let asked = server.forms("/token").count
            unlink("\(folder.path)/tokens.json.lock")
            let next = try await run()
            #expect(next.status == 0, "\(next.errorText)")
            #expect(server.forms("/token").count == asked)
            #expect(folder.names().filter { $0.hasSuffix(".tmp") } == [])

            // One that is older than the file is not a newer copy.
            let stale = ".tokens.json.0.tmp"
            let stored = try #require(folder.read("tokens.json"))
            folder.write(stored.replacing("REFRESH-3", with: "REFRESH-0"), to: stale)
            chmod("\(folder.path)/\(stale)", 0o600)
            utimes("\(folder.path)/\(stale)", [timeval(), timeval()])
            server.expire()
            let renewed = try await run()
            #expect(renewed.status == 0, "\(renewed.errorText)")
        }
    }

    @Test func `tokens are removed only after they were revoked`() async throws {
        try await withServer { server, url in
            let grant = "grant: device, deviceURL: \"\(url)/device\""
            write("\(grant), revocationURL: \"http://127.0.0.1:1/revoke\"", at: url)
            #expect(try await waybill("login", "m.yaml").status == 0)
            let failed = try await waybill("logout", "m.yaml")
            #expect(failed.status == 3 && failed.errorText.contains("still stored in"), "\(failed.errorText)")
            write("\(grant), revocationURL: \"\(url)/revoke\"", at: url)
            #expect(try await waybill("logout", "m.yaml").outputText == "s: logged out\n")
            #expect(server.forms("/revoke").count == 1)
        }
    }

    @Test func `stored tokens are used only for what they were stored for, and only if nobody else can read them`()
        async throws
    {
        try await withServer { server, url in
            let grant = "grant: device, deviceURL: \"\(url)/device\""
            write(grant, at: url)
            #expect(try await waybill("login", "m.yaml").status == 0)
            chmod("\(folder.path)/tokens.json", 0o640)
            let shared = try await run()
            #expect(shared.status == 2 && shared.errorText.contains("chmod 600"), "\(shared.errorText)")
            chmod("\(folder.path)/tokens.json", 0o600)
            write(grant, at: url, client: "another")
            #expect(try await run().errorText.contains("[login-required]"))
            write(grant, at: url.replacing("127.0.0.1", with: "localhost"))
            #expect(try await run().errorText.contains("[login-required]"))
            #expect(server.forms("/items") == [])
            write(grant, at: url, store: "waybill-results/tokens.json")
            let inside = try await run()
            #expect(
                inside.status == 2 && inside.errorText.contains("in the folder of the results"),
                "\(inside.errorText)"
            )
            write(grant, at: url)
            #expect(try await run().status == 0)
        }
    }
}
