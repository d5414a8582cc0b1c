import Synchronization
import Testing
import WaybillFormats
import WaybillJSON
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct SigningTransportTests {
    private static let signer = AWSSigner(
        region: "eu-central-1",
        service: "s3",
        accessKey: "AKID",
        secretKey: "key",
        sessionToken: "token"
    )
    private static let moment = Timestamp(nanoseconds: 1_440_938_160_000_000_000)

    /// A clock that advances by a second each time it is read.
    private final class Clock: Sendable {
        private let seconds = Mutex<Int64>(0)

        func now() -> Timestamp {
            seconds.withLock { seconds in
                seconds += 1
                return Timestamp(nanoseconds: moment.nanoseconds + (seconds - 1) * 1_000_000_000)
            }
        }
    }

    /// Sends a request to the first of the servers with these responses. Returns the result and the received requests.
    private func exchange(
        _ request: (String) -> HTTPRequest,
        answers: [@Sendable (ReceivedRequest, _ own: String, _ other: String) -> ServerResponse] = [
            { _, _, _ in .text("") }
        ]
    ) async throws -> (result: Result<HTTPResponse, TransportFailure>, received: [[ReceivedRequest]]) {
        let ports = Mutex<[Int]>([])
        let servers = try answers.enumerated().map { index, answer in
            try LoopbackServer { request in
                let ports = ports.withLock { $0 }
                return answer(request, "http://127.0.0.1:\(ports[index])", "http://127.0.0.1:\(ports[1 - index])")
            }
        }
        defer { for server in servers { server.stop() } }
        ports.withLock { $0 = servers.map(\.port) + [0] }
        let clock = Clock()
        let curl = try CurlTransport()
        let transport = SigningTransport(curl, signer: Self.signer) { clock.now() }
        let result = await transport.send(request(servers[0].url("")), followingRedirects: 10)
        await transport.shutDown()
        return (result, servers.map(\.requests))
    }

    private static func request(_ url: String, _ method: String = "GET", body: HTTPRequest.Body = .none) -> HTTPRequest
    {
        HTTPRequest(
            method: method,
            url: url,
            headers: [
                HTTPField(name: "X-B", value: "1"), HTTPField(name: "User-Agent", value: "w"),
                HTTPField(name: "x-b", value: " 2   3"), HTTPField(name: "X-Empty", value: ""),
                SigningTransport.placeholder,
            ],
            body: body,
            acceptsCompression: true
        )
    }

    /// The Authorization field that a received request should have at a given time.
    private static func signature(of received: ReceivedRequest, at moment: Timestamp = moment) -> String? {
        let fields = received.head.split(separator: "\r\n").dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return HTTPField(name: String(line[..<colon]), value: String(line[line.index(after: colon)...]))
        }
        let signed = fields.filter { $0.name != "Authorization" }
        let request = HTTPRequest(
            method: received.method,
            url: "http://\(received.values(named: "Host")[0])\(received.target)",
            headers: signed
        )
        return signer.sign(request, payloadDigest: Digest.sha256(of: received.body), at: moment).last?.value
    }

    @Test(arguments: [
        "/", "", "/a%2Fb/..//c%c3%a4?q=%20&b=2&a=+&&flag", "/ä?x[]=1",
    ])
    func `the signature matches the request that is sent`(path: String) async throws {
        let (result, received) = try await exchange { Self.request($0 + path, "PUT", body: .bytes([1, 2, 3])) }
        #expect(try result.get().status == 200)
        let request = try #require(received[0].first)
        let signature = try #require(request.values(named: "Authorization").first)
        #expect(signature == Self.signature(of: request))
        #expect(
            signature.contains(
                "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-b;x-empty, Signature="
            )
        )
        #expect(request.values(named: "X-Amz-Security-Token") == ["token"])
        #expect(request.values(named: "Host").count == 1)
    }

    @Test func `a request that is not signed before the deadline is not sent`() async throws {
        let query = String(repeating: "a=b&", count: 5_000)
        let exchanged = await WorkLimit.limited({ true }) {
            try? await exchange { Self.request($0 + "?" + query) }
        }
        let (result, received) = try #require(exchanged)
        #expect(throws: TransportFailure.self) { try result.get() }
        #expect(received.joined().isEmpty)
    }

    @Test func `files are signed by their contents`() async throws {
        let folder = TemporaryFolder()
        let content = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        folder.write(content, to: "a")
        folder.write([UInt8](), to: "empty")
        let path = "\(folder.path)/a"
        for body: HTTPRequest.Body in [
            .file(LocalFile(path)),
            .parts([.bytes([1]), .file(LocalFile(path)), .file(LocalFile("\(folder.path)/empty"))]),
        ] {
            let (result, received) = try await exchange { Self.request($0, "PUT", body: body) }
            #expect(try result.get().status == 200)
            let request = try #require(received[0].first)
            #expect(request.values(named: "Authorization").first == Self.signature(of: request))
            #expect(request.body.suffix(content.count) == content[...])
        }
    }

    @Test func `a file that cannot be read is a failure, and nothing is sent`() async throws {
        let folder = TemporaryFolder()
        for path in ["\(folder.path)/none", folder.path, "/dev/null", "a\0b"] {
            let (result, received) = try await exchange { Self.request($0, "PUT", body: .file(LocalFile(path))) }
            guard case .failure(let failure) = result else {
                Issue.record("\(path) was sent")
                continue
            }
            #expect(failure.kind == .transfer && failure.code == 26)
            #expect(failure.message.hasPrefix("the file \(path) cannot be read: "))
            #expect(received[0].isEmpty)
        }
    }

    @Test func `a given digest is signed, and the body is not read for it`() async throws {
        let (result, received) = try await exchange { url in
            var request = Self.request(url, "PUT", body: .bytes([1]))
            request.headers.append(HTTPField(name: "x-amz-content-sha256", value: "UNSIGNED-PAYLOAD"))
            return request
        }
        #expect(try result.get().status == 200)
        #expect(received[0].first?.values(named: "X-Amz-Content-Sha256") == ["UNSIGNED-PAYLOAD"])
    }

    @Test func `a redirect within the origin is signed again`() async throws {
        let (result, received) = try await exchange(
            { Self.request($0 + "/first", "POST", body: .bytes([1])) },
            answers: [
                { request, _, _ in
                    request.target == "/first"
                        ? ServerResponse(status: 303, headers: [("Location", "/second")]) : .text("")
                }
            ]
        )
        #expect(try result.get().status == 200)
        let later = Timestamp(nanoseconds: Self.moment.nanoseconds + 1_000_000_000)
        let requests = received[0]
        #expect(requests.map(\.method) == ["POST", "GET"])
        #expect(requests.first?.values(named: "Authorization").first == Self.signature(of: requests[0]))
        #expect(requests.last?.values(named: "Authorization").first == Self.signature(of: requests[1], at: later))
        #expect(requests.last?.values(named: "X-Amz-Date") == ["20150830T123601Z"])
    }

    @Test func `a redirect to another origin carries no part of the signature, nor does one back`() async throws {
        let (result, received) = try await exchange(
            { Self.request($0 + "/first") },
            answers: [
                { request, _, other in
                    request.target == "/first"
                        ? ServerResponse(status: 307, headers: [("Location", other + "/second")]) : .text("")
                },
                { _, _, other in ServerResponse(status: 307, headers: [("Location", other + "/third")]) },
            ]
        )
        #expect(try result.get().status == 200)
        #expect(received.map { $0.map(\.target) } == [["/first", "/third"], ["/second"]])
        for request in [received[1][0], received[0][1]] {
            #expect(!request.head.lowercased().contains("amz"))
            #expect(request.values(named: "Authorization").isEmpty)
            #expect(request.values(named: "X-Empty") == [])
        }
    }

    @Test func `a request that does not ask for a signature is sent unsigned`() async throws {
        let (_, received) = try await exchange { HTTPRequest(url: $0) }
        #expect(received[0].first?.values(named: "Authorization") == [])
    }
}
