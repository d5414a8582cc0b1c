import Synchronization
import WaybillTestSupport

/// A server with one file that makes a different error with each request.
final class FaultyFileServer: Sendable {
    /// What the server does with a request.
    enum Fault: CaseIterable, Sendable {
        /// Sends what was requested.
        case none
        /// Ends the connection after some bytes of the body.
        case closes, resets
        /// Serves another file from now on.
        case changesFile
        /// Sends the whole file to every request.
        case ignoresRange
        /// Sends the range although the file is not the one that `If-Range` names.
        case ignoresIfRange
        /// Sends a range other than the requested one, with the matching Content-Range.
        case shiftsRange
        /// Sends a range that starts correctly but ends too early.
        case shortensRange
        /// Reports another size of the file.
        case otherTotal
        /// Sends the whole file as a range.
        case wholeAsRange
        /// Reports more bytes than it sends.
        case tooLong
        /// Omits the tag, sends a weak one, or sends a date instead.
        case noTag, weakTag, dateOnly
        /// Sends chunks without a length.
        case chunked
        /// Sends wrong bytes with the same tag. Only a checksum detects this.
        case wrongBytes
        /// Sends two ranges at once.
        case severalRanges
        /// Sends an error instead, with a body.
        case error
        /// Refuses the range with status 416.
        case refusesRange
        /// Compresses the file although that was not requested.
        case gzip
    }

    private struct State {
        var random: SplitMix
        var file: [UInt8]
        var version = 1
        var faults: [Fault]
        var log: [String] = []
    }

    /// The faults after which only a checksum shows whether the bytes are correct.
    static let needsChecksum: Set<Fault> = [.wrongBytes]

    private let state: Mutex<State>
    private let gzipped: @Sendable ([UInt8]) -> [UInt8]

    init(file: [UInt8], faults: [Fault], seed: UInt64, gzip: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        state = Mutex(State(random: SplitMix(state: seed), file: file, faults: faults))
        gzipped = gzip
    }

    /// The current file.
    var file: [UInt8] { state.withLock { $0.file } }
    /// The requests and the faults.
    var log: String { state.withLock { $0.log.joined(separator: "\n") } }
    /// The number of remaining faults.
    var remaining: Int { state.withLock { $0.faults.count } }

    /// A response: its bytes, and how many of them are sent before the connection ends.
    private struct Reply {
        var bytes: [UInt8]
        var end: Int?
        var isReset = false
    }

    func serve(_ connection: LoopbackConnection) {
        while let request = connection.readRequest() {
            let reply = reply(to: request)
            guard connection.write(Array(reply.bytes.prefix(reply.end ?? .max))) else { return }
            guard reply.end != nil else { continue }
            if reply.isReset { connection.reset() }
            return
        }
    }

    private func reply(to request: ReceivedRequest) -> Reply {
        state.withLock { state in
            let fault = state.faults.isEmpty ? .none : state.faults.removeFirst()
            if fault == .changesFile {
                state.version += 1
                state.file = state.file.map { $0 &+ 7 } + [UInt8(state.version)]
            }
            let range = request.values(named: "Range").first
            state.log.append("\(fault), version \(state.version): \(range ?? "whole") of \(state.file.count)")
            return reply(fault, request, &state)
        }
    }

    private func reply(_ fault: Fault, _ request: ReceivedRequest, _ state: inout State) -> Reply {
        let file = state.file
        let tag = "\"v\(state.version)\""
        var fields = ["ETag: \(tag)"]
        switch fault {
        case .noTag: fields = []
        case .weakTag: fields = ["ETag: W/\(tag)"]
        case .dateOnly:
            fields = [
                "Last-Modified: Sun, 06 Nov 1994 08:4\(state.version % 10):37 GMT",
                "Date: Mon, 07 Nov 1994 08:49:37 GMT",
            ]
        default: break
        }
        if fault == .error {
            return Reply(bytes: Self.message("503 Busy", ["Retry-After: 0"], Array("not the file".utf8)))
        }
        if fault == .gzip {
            return Reply(bytes: Self.message("200 OK", fields + ["Content-Encoding: gzip"], gzipped(file)))
        }
        let validator = request.values(named: "If-Range").first
        let isCurrent = validator == tag || fault == .ignoresIfRange
        var start: Int?
        if let range = request.values(named: "Range").first, fault != .ignoresRange, isCurrent {
            start = Int(range.dropFirst("bytes=".count).dropLast())
        }
        guard var start else {
            if fault == .chunked {
                let body = Self.chunk(file[..<(file.count / 2)]) + Self.chunk(file[(file.count / 2)...])
                let head = (["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"] + fields).joined(separator: "\r\n")
                return Reply(bytes: Array((head + "\r\n\r\n").utf8) + body + Array("0\r\n\r\n".utf8))
            }
            return damaged(fault, Self.message("200 OK", fields, wrong(fault, file)), body: file.count, &state)
        }
        if start >= file.count || fault == .refusesRange {
            return Reply(bytes: Self.message("416 No", fields + ["Content-Range: bytes */\(file.count)"], []))
        }
        var end = file.count
        var total = file.count
        switch fault {
        case .shiftsRange: start = state.random.next(below: start + 1)
        case .shortensRange: end = start + 1 + state.random.next(below: end - start)
        case .otherTotal: total += 1
        case .severalRanges:
            let body = Array("--x\r\nContent-Range: bytes 0-0/\(total)\r\n\r\na\r\n--x--\r\n".utf8)
            return Reply(
                bytes: Self.message("206 P", fields + ["Content-Type: multipart/byteranges; boundary=x"], body)
            )
        default: break
        }
        fields.append("Content-Range: bytes \(start)-\(end - 1)/\(total)")
        let body = fault == .wholeAsRange ? file : wrong(fault, Array(file[start..<end]))
        return damaged(fault, Self.message("206 Partial", fields, body), body: body.count, &state)
    }

    private func wrong(_ fault: Fault, _ bytes: [UInt8]) -> [UInt8] {
        fault == .wrongBytes ? bytes.map { $0 ^ 1 } : bytes
    }

    private func damaged(_ fault: Fault, _ message: [UInt8], body: Int, _ state: inout State) -> Reply {
        switch fault {
        case .closes, .resets:
            let missing = 1 + state.random.next(below: max(1, body))
            return Reply(bytes: message, end: message.count - missing, isReset: fault == .resets)
        case .tooLong:
            return Reply(bytes: Self.withLongerLength(message, by: 1 + state.random.next(below: 100)), end: .max)
        default:
            return Reply(bytes: message)
        }
    }

    private static func withLongerLength(_ message: [UInt8], by more: Int) -> [UInt8] {
        guard let end = message.indices.first(where: { message[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
            return message
        }
        let lines = String(decoding: message[..<end], as: UTF8.self).split(separator: "\r\n").map { line in
            guard line.hasPrefix("Content-Length: "), let length = Int(line.dropFirst(16)) else { return String(line) }
            return "Content-Length: \(length + more)"
        }
        return Array(lines.joined(separator: "\r\n").utf8) + message[end...]
    }

    private static func message(_ status: String, _ fields: [String], _ body: [UInt8]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    private static func chunk(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.isEmpty ? [] : Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + Array("\r\n".utf8)
    }
}
