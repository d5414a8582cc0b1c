import Synchronization
import Testing
import WaybillFormats
import WaybillPlatform
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillTransport

/// Downloads over sockets, into files.
@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
    private let folder = TemporaryFolder()

    private var part: String { "\(folder.path)/a.part" }
    private var place: String { "\(folder.path)/a" }

    private func download(
        _ url: String,
        resumes: Bool = true,
        accept: @escaping FileDownload.Acceptor = { _, _ in .yes }
    ) -> FileDownload {
        FileDownload(
            HTTPRequest(url: url),
            redact: { $0 },
            part: part,
            resumes: resumes,
            digests: [.sha256],
            accept: accept
        )
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] { Digest.value(of: bytes, .sha256) }

    private static func file(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SplitMix(state: seed)
        return (0..<count).map { _ in UInt8(random.next(below: 256)) }
    }

    // MARK: Scenarios

    /// `WAYBILL_DOWNLOAD_SCENARIOS` sets the number of scenarios. The default takes two seconds.
    static let scenarios = 0..<UInt64(getenv("WAYBILL_DOWNLOAD_SCENARIOS").flatMap { Int(String(cString: $0)) } ?? 60)

    @Test func `whatever a server does, no wrong bytes appear under the name of the file`() async throws {
        var ends: [String: Int] = [:]
        for seed in Self.scenarios {
            let end = try await scenario(seed)
            ends[end, default: 0] += 1
        }
        // A failure is possible, but most downloads end with the file.
        #expect(ends["file", default: 0] > ends["failure", default: 0], "\(ends)")
        if Self.scenarios.count > 100 { print("downloads: \(ends)") }
    }

    /// Downloads a file from a server with random faults until it is complete, as `retry` would. Returns how it ended.
    private func scenario(_ seed: UInt64) async throws -> String {
        let folder = TemporaryFolder()
        let (part, place) = ("\(folder.path)/a.part", "\(folder.path)/a")
        var random = SplitMix(state: seed)
        let first = Self.file(1 + random.next(below: seed.isMultiple(of: 10) ? 3_000_000 : 200_000), seed: seed)
        let faults = (0..<random.next(below: 7)).map { _ in
            FaultyFileServer.Fault.allCases[random.next(below: FaultyFileServer.Fault.allCases.count)]
        }
        let hasChecksum = faults.contains(.wrongBytes) || random.next(below: 2) == 0
        let gzip = try Gzip()
        let files = FaultyFileServer(file: first, faults: faults, seed: seed) { gzip.compressed($0) }
        return try await LoopbackServer.run(script: { files.serve($0) }) { server in
            try await CurlTransport.run { transport in
                for _ in 0...faults.count + 1 {
                    let before = files.file
                    let download = FileDownload(
                        HTTPRequest(url: server.url("/a"), timeout: .seconds(20)),
                        redact: { $0 },
                        part: part,
                        resumes: true,
                        digests: [.sha256]
                    ) { response, _ in
                        response.status == 200 || response.status == 206 || response.status == 416 ? .yes : .no
                    }
                    let result = await download.start(through: transport, followingRedirects: 10)
                    #expect(TemporaryFolder.contents(of: place) == nil, "\(seed): \(files.log)")
                    guard case .complete(_, let content) = result else { continue }
                    if hasChecksum, content.digests[.sha256] != Self.digest(files.file) {
                        await content.discard()
                        continue
                    }
                    try await content.move(to: place)
                    let bytes = TemporaryFolder.contents(of: place)
                    // If the file changes while its old version is being sent, the download is that version.
                    let isWhole = bytes == files.file || (!hasChecksum && bytes == before)
                    #expect(isWhole, "\(seed): wrong bytes\n\(files.log)")
                    #expect(content.bytes == bytes?.count)
                    #expect(folder.names() == ["a"], "\(seed)")
                    return "file"
                }
                #expect(files.remaining == 0, "\(seed): \(files.log)")
                return "failure"
            }
        }
    }

    // MARK: One at a time

    @Test func `an interrupted download is resumed, and only the rest is sent`() async throws {
        let file = Self.file(300_000)
        let files = FaultyFileServer(file: file, faults: [.closes], seed: 3) { $0 }
        try await LoopbackServer.run(script: { files.serve($0) }) { server in
            try await CurlTransport.run { transport in
                let first = await download(server.url()).start(through: transport, followingRedirects: 0)
                guard case .response(.failure(let failure)) = first else {
                    Issue.record("\(first)")
                    return
                }
                #expect(failure.kind == .transfer)
                let size = try #require(TemporaryFolder.contents(of: part)).count
                #expect(size > 0 && size < file.count)
                #expect(folder.names() == ["a.part", "a.part.json"])
                let second = await download(server.url()).start(through: transport, followingRedirects: 0)
                guard case .complete(let response, let content) = second else {
                    Issue.record("\(second)")
                    return
                }
                #expect(response.status == 200 && content.status == 206 && content.isResumed)
                #expect(content.digests[.sha256] == Self.digest(file))
                try await content.move(to: place)
                #expect(TemporaryFolder.contents(of: place) == file)
                #expect(
                    server.requests.last?.values(named: "Range") == ["bytes=\(size - DownloadState.comparedBytes)-"]
                )
                #expect(response.bytesReceived < file.count - size + DownloadState.comparedBytes + 1000)
                #expect(folder.names() == ["a"])
            }
        }
    }

    @Test(arguments: [FaultyFileServer.Fault.noTag, .weakTag])
    func `a download that cannot be resumed leaves no files`(fault: FaultyFileServer.Fault) async throws {
        try await LoopbackServer.run(script: { connection in
            connection.readRequest()
            let tag = fault == .noTag ? "" : "ETag: W/\"a\"\r\n"
            connection.write("HTTP/1.1 200 OK\r\n\(tag)Content-Length: 100\r\n\r\nabc")
        }) { server in
            try await CurlTransport.run { transport in
                _ = await download(server.url()).start(through: transport, followingRedirects: 0)
                #expect(folder.names().isEmpty)
            }
        }
    }

    @Test func `without resuming, a download starts over`() async throws {
        let files = FaultyFileServer(file: Self.file(10_000), faults: [.closes], seed: 3) { $0 }
        try await LoopbackServer.run(script: { files.serve($0) }) { server in
            try await CurlTransport.run { transport in
                for _ in 0..<2 {
                    _ = await download(server.url(), resumes: false).start(through: transport, followingRedirects: 0)
                }
                #expect(server.requests.allSatisfy { $0.values(named: "Range").isEmpty })
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test func `an error is an ordinary response, and the partial file does not change`() async throws {
        let file = Self.file(50_000)
        let files = FaultyFileServer(file: file, faults: [.closes, .error], seed: 5) { $0 }
        try await LoopbackServer.run(script: { files.serve($0) }) { server in
            try await CurlTransport.run { transport in
                _ = await download(server.url()).start(through: transport, followingRedirects: 0)
                let before = TemporaryFolder.contents(of: part)
                let result = await download(server.url()).start(through: transport, followingRedirects: 0)
                guard case .response(.success(let response)) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(response.status == 503 && response.body == Array("not the file".utf8))
                #expect(TemporaryFolder.contents(of: part) == before)
            }
        }
    }

    @Test func `a complete file is not sent again`() async throws {
        let file = Self.file(50_000)
        let files = FaultyFileServer(file: file, faults: [], seed: 5) { $0 }
        try await LoopbackServer.run(script: { files.serve($0) }) { server in
            try await CurlTransport.run { transport in
                let record = DownloadRecord(url: server.url(), validator: .tag("\"v1\""), total: file.count)
                folder.write(file, to: "a.part")
                folder.write(record.text, to: "a.part.json")
                let result = await download(server.url()).start(through: transport, followingRedirects: 0)
                guard case .complete(let response, let content) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(content.status == 206 && content.isResumed && response.status == 200)
                #expect(content.digests[.sha256] == Self.digest(file))
            }
        }
    }

    @Test(arguments: [30_000, 50_000])
    func `a partial file with wrong bytes at its end is not completed`(size: Int) async throws {
        let file = Self.file(50_000)
        let files = FaultyFileServer(file: file, faults: [], seed: 5) { $0 }
        try await LoopbackServer.run(script: { files.serve($0) }) { server in
            try await CurlTransport.run { transport in
                let record = DownloadRecord(url: server.url(), validator: .tag("\"v1\""), total: file.count)
                // What a file may have after a crash of the system: its size, and zeros.
                let right = size - 4096
                folder.write(Array(file[..<right]) + [UInt8](repeating: 0, count: 4096), to: "a.part")
                folder.write(record.text, to: "a.part.json")
                let result = await download(server.url()).start(through: transport, followingRedirects: 0)
                guard case .complete(_, let content) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(!content.isResumed && content.digests[.sha256] == Self.digest(file))
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test func `a redirect to another file on resuming starts over`() async throws {
        let old = FaultyFileServer(file: Self.file(300_000), faults: [.closes], seed: 9) { $0 }
        let new = FaultyFileServer(file: Self.file(300_000, seed: 2), faults: [], seed: 9) { $0 }
        try await LoopbackServer.run(script: { old.serve($0) }) { server in
            try await LoopbackServer.run(script: { new.serve($0) }) { other in
                let places = Mutex([other.url(), server.url()])
                try await LoopbackServer.run(answer: { _ in
                    let place = places.withLock { $0.count > 1 ? $0.removeLast() : $0[0] }
                    return ServerResponse(status: 302, headers: [("Location", place)], body: [])
                }) { first in
                    try await CurlTransport.run { transport in
                        _ = await download(first.url()).start(through: transport, followingRedirects: 5)
                        #expect((TemporaryFolder.contents(of: part)?.count ?? 0) > DownloadState.comparedBytes)
                        let result = await download(first.url()).start(through: transport, followingRedirects: 5)
                        guard case .complete(_, let content) = result else {
                            Issue.record("\(result)")
                            return
                        }
                        #expect(!content.isResumed && content.digests[.sha256] == Self.digest(new.file))
                    }
                }
            }
        }
    }

    @Test func `a redirect to the file keeps the range`() async throws {
        let file = Self.file(300_000)
        let files = FaultyFileServer(file: file, faults: [.closes], seed: 9) { $0 }
        try await LoopbackServer.run(script: { files.serve($0) }) { server in
            let location = server.url("/file")
            try await LoopbackServer.run(
                answer: { _ in ServerResponse(status: 302, headers: [("Location", location)], body: Array("moved".utf8))
                }
            ) { first in
                try await CurlTransport.run { transport in
                    _ = await download(first.url()).start(through: transport, followingRedirects: 5)
                    let result = await download(first.url()).start(through: transport, followingRedirects: 5)
                    guard case .complete(_, let content) = result else {
                        Issue.record("\(result)")
                        return
                    }
                    #expect(content.isResumed && content.digests[.sha256] == Self.digest(file))
                }
            }
        }
    }

    @Test func `a second download of the same file at the same time fails`() async throws {
        let other = try PartialFile(part, digests: [])
        try await CurlTransport.run { transport in
            let result = await download("http://127.0.0.1:1/").start(through: transport, followingRedirects: 0)
            guard case .failed(let error, nil) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(error.description.contains("is being downloaded by another process"))
        }
        other.discard()
    }

    @Test func `a large file is not read any more after the download was cancelled`() throws {
        folder.write(String(repeating: "a", count: 600_000), to: "a.part")
        let cancellation = Cancellation()
        let file = try PartialFile(part, digests: [.sha256], cancellation: cancellation)
        cancellation.request()
        let error = #expect(throws: DownloadError.self) { try file.begin(DownloadState.Body(offset: 300_000)) }
        #expect(error?.wasStopped == true)
        file.release()
    }

    @Test func `a record that a killed process was writing is removed`() throws {
        folder.write("{", to: ".a.part.json.0.tmp")
        let file = try PartialFile(part, digests: [])
        #expect(folder.names() == ["a.part"])
        file.discard()
    }

    @Test func `the response for an existing file that is kept is not read to its end`() async throws {
        try await LoopbackServer.run(script: { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 100000000\r\n\r\nabc")
            connection.waitForEnd()
        }) { server in
            try await CurlTransport.run { transport in
                let download = download(server.url(), accept: { _, _ in .keepExisting })
                guard case .kept = await download.start(through: transport, followingRedirects: 0) else {
                    Issue.record("not kept")
                    return
                }
                #expect(folder.names().isEmpty)
            }
        }
    }

    @Test func `a partial file with another hard link is not written to`() throws {
        folder.write("abc", to: "a.part")
        #expect(link(part, "\(folder.path)/copy") == 0)
        let file = try PartialFile(part, digests: [])
        #expect(file.size == 0)
        try file.begin(DownloadState.Body(offset: 0))
        #expect(try file.write(Array("xyz".utf8)))
        #expect(folder.read("a.part") == "xyz" && folder.read("copy") == "abc")
        file.discard()
    }

    @Test(arguments: ["a.part", "a.part.json"])
    func `a pipe in place of the partial file or its record is a failure`(name: String) async throws {
        let path = "\(folder.path)/\(name)"
        try #require(mkfifo(path, 0o600) == 0)
        try await CurlTransport.run { transport in
            let result = await download("http://127.0.0.1:1/").start(through: transport, followingRedirects: 0)
            guard case .failed(let error, nil) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(error.description.contains("is not a regular file"))
        }
        #expect(FileReplacement.obstacle(at: path) != nil)
    }
}

/// Writes the format of `gzip` with stored blocks, which are not compressed.
private struct Gzip: Sendable {
    init() throws {}

    func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            for value in [length, ~length] { result += [UInt8(value & 255), UInt8(value >> 8)] }
            result += block
        } while !rest.isEmpty
        for value in [Self.checksum(bytes), UInt32(bytes.count)] {
            result += (0..<4).map { UInt8(value >> ($0 * 8) & 255) }
        }
        return result
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 255)] ^ ($0 >> 8) }
    }
}
