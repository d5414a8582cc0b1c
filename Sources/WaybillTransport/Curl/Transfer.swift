import CLibCurl
import WaybillRuntime

/// One request in flight with the part of its response received so far. Used only on the engine's thread.
final class Transfer {
    /// The order that the transfer executes.
    let order: TransferOrder
    /// The easy handle, while libcurl performs the transfer.
    var handle: EasyHandle? {
        didSet { if handle != nil { startedAt = .now } }
    }
    /// Whether the transfer is waiting in the admission queue.
    var isQueued = false
    /// Whether the transfer counts as active at its origin.
    var isCounted = false
    /// The clock of the transfer, if the engine and not libcurl enforces its timeout.
    var clock: TransferClock?
    /// When the transfer started.
    private(set) var startedAt = ContinuousClock.Instant.now
    /// How long the transfer was paused after it had started, and when the current pause started.
    private var pausedTime = Duration.zero
    private var pausedSince: ContinuousClock.Instant?
    /// The outcome of the transfer, once it has ended.
    private(set) var outcome: TransferOutcome?

    /// The lines of the response's header.
    private(set) var head = ResponseHeadCollector()
    /// The decoded body received so far, if it is collected.
    private(set) var body: [UInt8] = []
    /// Why Waybill, not libcurl, ended the transfer.
    private(set) var refusal: Refusal?
    /// Whether the request was handed to a connection.
    var wasSent: Bool { sendings > 0 }

    /// Whether a connection was established, though it may not be secure yet.
    private(set) var hasConnected = false

    /// How often the request was sent again because the nonce of its digest credentials was stale.
    var repetitions: Int { min(Self.mostChallenges, max(1, challenges)) - 1 }

    /// The sockets of the transport, to mark the transfer's packets.
    let marks: SocketMarks

    /// The memory that the body takes; nil while it is small.
    private(set) var share: RunMemory.Share?
    // The size of the body, if it is known before the body.
    private var announcedBytes: Int?
    // How many bytes `share` covers or waits for.
    private var wantedRoom = RunMemory.smallBody

    private let watch: CallWatch
    private let memory: RunMemory
    private let commands: CommandQueue
    // The local port of the connection that the request was handed to.
    private var localPort: Int32?
    /// The server's certificate, if the request needs it.
    private(set) var certificate: ServerCertificate?
    private var reader: BodyReader?
    private var decoding = Decoding.undecided
    // How many decoded bytes were kept since the time was checked.
    private var uncheckedBytes = 0
    private static let bytesBetweenChecks = 1 << 20
    /// Whether the transfer was ended because its time was over.
    private(set) var isOverdue = false
    private var sendings = 0
    private var hasBegunChannel = false
    /// Whether the end of the connection is that of the body.
    private(set) var bodyEndsWithConnection = false
    private var chunks: ChunkScanner?
    // Whether the body ends with its HTTP/2 stream.
    private var bodyEndsWithStream = false
    // What has arrived on the HTTP/2 stream and libcurl has not passed on, if the request has a body, and whether the server
    // has ended the stream.
    private var stream = (unread: [UInt8](), hasEnded: false)
    // The number of `Set-Cookie` fields in the header.
    private var cookieFields = 0
    /// Whether the response has set cookies.
    var hasSetCookies: Bool { cookieFields > 0 }
    // Whether the next piece of the header is the start of a line.
    private var isAtLineStart = true
    private var isEndAnnounced = false
    // How often the server has asked for credentials and libcurl was about to send the request again.
    private var challenges = 0
    // One challenge, and another one in place of a stale one (RFC 7616, section 3.3).
    private static let mostChallenges = 2
    // The progress that was reported last, and when.
    private var lastProgress = TransferProgress(sent: 0, sentTotal: 0, received: 0)
    private var lastProgressAt: ContinuousClock.Instant?

    /// Creates a transfer that has not started.
    init(
        _ order: TransferOrder,
        marks: SocketMarks,
        watch: CallWatch,
        memory: RunMemory,
        commands: CommandQueue
    ) {
        self.order = order
        self.marks = marks
        self.watch = watch
        self.memory = memory
        self.commands = commands
    }

    /// The identifier of the transfer in the engine.
    var id: ObjectIdentifier { ObjectIdentifier(order.cancellation) }
    /// The request to send.
    var prepared: PreparedRequest { order.prepared }
    /// Whether the monitor has paused the transfer.
    var isPaused: Bool { order.monitor?.isPaused ?? false }
    /// Whether anything listens for the progress of the transfer.
    var wantsProgress: Bool { order.monitor?.hasListener ?? false }

    /// Records that the transfer is paused or resumed.
    func notePause(_ isPaused: Bool) {
        if isPaused {
            pausedSince = pausedSince ?? .now
        } else if let start = pausedSince {
            pausedTime += .now - start
            pausedSince = nil
        }
    }

    /// The timings without the time in which the transfer was paused.
    func withoutPauses(_ timings: TransferTimings) -> TransferTimings {
        let paused = pausedTime + (pausedSince.map { .now - $0 } ?? .zero)
        guard paused > .zero else { return timings }
        var timings = timings
        timings.total = max(.zero, timings.total - paused)
        timings.firstByte = min(timings.firstByte, timings.total)
        return timings
    }

    /// Stores the outcome, which is delivered later.
    func end(with outcome: TransferOutcome) {
        self.outcome = outcome
    }

    /// Delivers the outcome to the task that waits for it. Called once, after the end.
    func deliver() {
        if let outcome { order.delivery.finish(outcome) }
    }

    /// What happened to bytes that libcurl passed.
    enum ReceiveResult {
        case taken, later, never
    }

    /// What libcurl receives when it asks for bytes.
    enum ReadResult {
        case bytes(Int)
        case later, never
    }

    /// Why Waybill, not libcurl, ended a transfer.
    enum Refusal: Equatable {
        case bodyTooLarge, headerTooLarge, headerIncomplete, headerStartsFolded, nonceStaleTwice, endNotAnnounced,
            bodyIncomplete, pinMismatch, pinsUnknown, flooded, memoryFull, connectionUnusable, versionNotAgreed,
            tooManyCookies, cookieTooLarge, jarFull
        case sentTwice(overHTTP2: Bool)
        case notChallenged(Int)
        case announcedBodyTooLarge(Int)
        case invalidFraming(ResponseFraming.Fault)
        case bodyUnreadable(String)
        case malformedStatusLine(String)
        case unknownCoding(String)
        case malformedCoding([String])
        case incompleteCoding([String])
        case bytesAfterCoding([String])
    }

    /// How the body of the response is decoded.
    private enum Decoding {
        case undecided, none
        case by(BodyDecoding)
    }

    /// Receives lines of the response's header or trailers: usually one, but after a pause all that arrived during it.
    /// Returning false ends the transfer.
    func receiveHeader(_ lines: UnsafeRawBufferPointer) -> Bool {
        var rest = lines[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            guard receiveHeaderLine(UnsafeRawBufferPointer(rebasing: rest[..<end])) else { return false }
            rest = rest[end...]
        }
        return true
    }

    private func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        watch.noteProgress()
        let wasComplete = head.isComplete
        guard head.append(line) else { return refuse(.headerTooLarge) }
        guard head.hasStatusLine else {
            return refuse(.malformedStatusLine(String(decoding: line[...].withoutOuterBlanks, as: UTF8.self)))
        }
        guard !head.startsFolded else { return refuse(.headerStartsFolded) }
        if prepared.request.options.cookies != .off, line.isField(named: "set-cookie") {
            handle?.removeCookie(misreadFrom: line)
            cookieFields = wasComplete ? 1 : cookieFields + 1
            guard cookieFields <= ShareHandle.maximumFields else { return refuse(.tooManyCookies) }
            guard !JarCookie.isTooLarge(line) else { return refuse(.cookieTooLarge) }
            if handle?.noteCookie(line) == false { return refuse(.jarFull) }
        }
        guard !wasComplete, head.isComplete else { return true }
        guard checkVersion() && checkBodyLength() else { return false }
        // libcurl sends the body only after a challenge.
        if let body = prepared.body, body.count > 0, prepared.request.options.credentials != .none, challenges == 0,
            head.statusCode < 400
        {
            return refuse(.notChallenged(head.statusCode))
        }
        // The body of another response may be discarded, because the request is sent again.
        if let channel = order.channel, head.isSuccess { begin(channel) }
        return true
    }

    /// Records why the transfer must end; returns false.
    private func refuse(_ reason: Refusal) -> Bool {
        refusal = reason
        return false
    }

    /// Records why the transfer must end; returns that nothing more is received.
    private func refuse(_ reason: Refusal) -> ReceiveResult {
        refusal = reason
        return .never
    }

    private func checkVersion() -> Bool {
        guard head.claimsHTTP2, let handle, !carriesHTTP2(handle) else { return true }
        marks.mayBeShared = true
        return refuse(.versionNotAgreed)
    }

    private func checkBodyLength() -> Bool {
        do {
            let length = try head.bodyLength(for: prepared.request.method)
            bodyEndsWithConnection = length == .untilClose
            observeRest(of: length)
            guard case .bytes(let count) = length, keepsBody else { return true }
            guard count > prepared.request.maximumBodyBytes else {
                announcedBytes = count
                return true
            }
            return refuse(.announcedBodyTooLarge(count))
        } catch {
            return refuse(.invalidFraming(error))
        }
    }

    /// Prepares for checks that libcurl does not make after the header of HTTP/1: of the sizes of chunks, and for bytes
    /// after the message, after which the connection cannot be used again (RFC 9112, sections 6.1, 7.1 and 9.3).
    private func observeRest(of length: ResponseFraming.Length) {
        chunks = nil
        bodyEndsWithStream = head.claimsHTTP2 && length == .marked
        guard !head.claimsHTTP2, let handle else { return }
        if length == .marked {
            chunks = ChunkScanner()
            if head.claimsHTTP10 { handle.closeConnection() }
        }
        handle.setObserved(length == .marked || length == .bytes(0))
    }

    /// Inspects bytes before libcurl decodes them, and libcurl's notes about them.
    func observe(_ kind: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
        switch kind {
        case CURLINFO_DATA_IN:
            chunks?.scan(bytes)
            if let fault = chunks?.fault, refusal == nil { refusal = .invalidFraming(fault) }
            if chunks?.hasExcess == true { handle?.closeConnection() }
        case CURLINFO_TEXT where bytes.starts(with: "Excess found".utf8): handle?.closeConnection()
        default: break
        }
    }

    /// Records what arrives on the HTTP/2 stream, before libcurl passes it on.
    func noteArrival(of bytes: UnsafeBufferPointer<UInt8>, endsStream: Bool) {
        stream.hasEnded = stream.hasEnded || endsStream
        if prepared.body != nil { stream.unread.append(contentsOf: bytes) }
        if endsStream { noteEarlyEnd() }
    }

    /// Asks the engine to end the transfer if its response has ended before the body of its request (RFC 9113, section
    /// 8.1): libcurl 7.88 would wait for the server's permission to send the rest.
    private func noteEarlyEnd() {
        if hasWholeHead, stream.unread.isEmpty { _ = commands.add(.adjust(order.cancellation)) }
    }

    /// Whether the server has ended the HTTP/2 stream of a request with a body after the header of a response that does not
    /// ask for another request.
    private var hasWholeHead: Bool {
        prepared.body != nil && stream.hasEnded && head.isComplete && refusal == nil
            && !(head.asksForAnother && prepared.request.options.credentials != .none)
    }

    /// Whether the transfer has its response although libcurl still waits to send the rest of the body, or has ended with a
    /// code because the server reset the HTTP/2 stream afterwards. libcurl then discards what it has not passed on.
    func hasEarlyResponse(_ report: TransferReport, after code: CURLcode? = nil) -> Bool {
        guard hasWholeHead else { return false }
        guard let code else { return stream.unread.isEmpty && report.sentBytes < prepared.body?.count ?? 0 }
        guard [CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_ERROR, CURLE_RECV_ERROR].contains(code) else { return false }
        let unread = stream.unread
        return unread.isEmpty || unread.withUnsafeBytes { receiveBody($0) } == .taken
    }

    /// Checks how the connection ends if the body ends with it. Called whenever bytes have arrived, and also after the
    /// last byte, before the connection is closed.
    func inspectConnection() {
        guard bodyEndsWithConnection, prepared.origin.isSecure, !isEndAnnounced, let handle else { return }
        isEndAnnounced = OpenSSL.linked?.isEndAnnounced(to: handle.pointer) ?? true
    }

    /// Whether the body is kept as received. The limit applies to the decoded body, and libcurl discards the body of a
    /// challenge that it responds to.
    private var keepsBody: Bool {
        prepared.purpose == .exchange && !(prepared.request.acceptsCompression && !head.codings.isEmpty)
            && !(head.asksForAnother && prepared.request.options.credentials != .none)
    }

    /// Receives a part of the body before decoding. With `EasyHandle.checksHeadFirst`, also receives each header line
    /// before `receiveHeader` does.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        if !bytes.isEmpty { watch.noteProgress() }
        let isBody = head.isComplete
        let result = receive(bytes)
        if isBody, result == .taken {
            stream.unread.removeFirst(min(bytes.count, stream.unread.count))
            if stream.hasEnded { noteEarlyEnd() }
        }
        return result
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        if EasyHandle.checksHeadFirst, !head.isComplete {
            // libcurl passes a long line in pieces.
            let startsLine = isAtLineStart
            isAtLineStart = bytes.last == UInt8(ascii: "\n")
            guard startsLine, !head.hasField, bytes.first == UInt8(ascii: " ") || bytes.first == UInt8(ascii: "\t")
            else { return .taken }
            return refuse(.headerStartsFolded)
        }
        if case .invalidFraming? = refusal { return .never }
        if order.monitor?.isPaused == true, let handle, TransferReport(handle).mayPauseReceiving { return .later }
        if case .undecided = decoding {
            guard decideOnDecoding() else { return .never }
        }
        guard case .by(let decoder) = decoding else { return keep(bytes) }
        switch decoder.take(bytes, keep: { mustEnd(before: $0.count) ? .never : keep($0) }) {
        case .taken: return .taken
        case .later: return .later
        case .never: return .never
        case .malformed: return refuse(.malformedCoding(decoder.codings))
        case .excess: return refuse(.bytesAfterCoding(decoder.codings))
        }
    }

    /// Whether the transfer is cancelled or its time is over. A few bytes may decode to gigabytes during one call of libcurl,
    /// which checks neither before it returns.
    private func mustEnd(before count: Int) -> Bool {
        uncheckedBytes += count
        guard uncheckedBytes >= Self.bytesBetweenChecks else { return false }
        uncheckedBytes = 0
        let time = .now - startedAt - pausedTime
        isOverdue = prepared.purpose == .exchange && time > prepared.request.remainingTime
        return isOverdue || order.cancellation.isRequested
    }

    /// Checks whether the header and the body are complete. Sets `refusal` if they are not.
    func checkIsWhole() -> Bool {
        // libcurl treats the end of the connection as the end of the header.
        guard head.isComplete || prepared.purpose == .connection else { return refuse(.headerIncomplete) }
        if case .invalidFraming? = refusal { return false }
        guard !bodyEndsWithConnection || !prepared.origin.isSecure || isEndAnnounced else {
            return refuse(.endNotAnnounced)
        }
        guard chunks?.isComplete != false, !bodyEndsWithStream || stream.hasEnded || !LibCurl.observesStreams else {
            return refuse(.bodyIncomplete)
        }
        guard case .by(let decoder) = decoding, !decoder.isComplete else { return true }
        return refuse(.incompleteCoding(decoder.codings))
    }

    private func decideOnDecoding() -> Bool {
        decoding = .none
        let codings = prepared.request.acceptsCompression ? head.codings : []
        guard !codings.isEmpty else { return true }
        do {
            if let decoder = try BodyDecoding(codings) { decoding = .by(decoder) }
            return true
        } catch {
            return refuse(.unknownCoding(error.coding))
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        if let channel = order.channel { return stream(bytes, to: channel) }
        guard bytes.count <= prepared.request.maximumBodyBytes - body.count else { return refuse(.bodyTooLarge) }
        let count = body.count + bytes.count
        if count > wantedRoom {
            wantedRoom = max(count, announcedBytes ?? min(2 * wantedRoom, prepared.request.maximumBodyBytes))
        }
        if wantedRoom > RunMemory.smallBody, !hasRoom() {
            // A paused stream would delay all others on its connection, one of which may be what it waits for.
            guard let handle, TransferReport(handle).mayPauseReceiving else { return refuse(.memoryFull) }
            // The engine stops the transfer's clock.
            _ = commands.add(.adjust(order.cancellation))
            return .later
        }
        if count > body.capacity, wantedRoom > RunMemory.smallBody { body.reserveCapacity(wantedRoom) }
        body.append(contentsOf: bytes)
        return .taken
    }

    /// Whether there is memory for the body so far and the bytes that arrived last. If not, the engine is asked to
    /// adjust the transfer when there may be.
    func hasRoom() -> Bool {
        guard wantedRoom > RunMemory.smallBody else { return true }
        let share = share ?? RunMemory.Share(of: memory)
        self.share = share
        let cancellation = order.cancellation
        return share.grow(to: wantedRoom) { [commands] in _ = commands.add(.adjust(cancellation)) }
    }

    private func stream(_ bytes: UnsafeRawBufferPointer, to channel: BodyChannel) -> ReceiveResult {
        guard handle != nil else { return .never }
        begin(channel)
        guard channel.append(bytes) else {
            clock?.stop()
            return .later
        }
        return .taken
    }

    /// Passes on the head of the response, once: a stream may have no bytes for a long time.
    private func begin(_ channel: BodyChannel) {
        guard !hasBegunChannel, let handle else { return }
        hasBegunChannel = true
        channel.begin(TransferReport(handle).response(to: self), head: head.bytes)
    }

    /// Clears the refusal of an unusable connection. Returns whether there was one, so that the request needs a new
    /// connection.
    func takeRefusalOfConnection() -> Bool {
        guard refusal == .connectionUnusable else { return false }
        refusal = nil
        return true
    }

    /// Whether the request may be sent again after it ended with this code: its connection could not be used, or ended
    /// before any of the response, as after HTTP/2's GOAWAY (RFC 9113, section 6.8), or when a server closes a connection
    /// that it has kept (RFC 9112, section 9.3.1). With HTTP/1.1 libcurl nearly always sends again by itself.
    func maySendAgain(after code: CURLcode) -> Bool {
        if refusal == .connectionUnusable { return true }
        guard sendings == 1, !head.hasBegun, refusal == nil, prepared.request.isIdempotent, let handle else {
            return false
        }
        switch code {
        case CURLE_HTTP2, CURLE_HTTP2_STREAM: return true
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: return TransferReport(handle).isConnectionReused
        default: return false
        }
    }

    /// Records that connections were ended because their servers sent data without any part of a response.
    func noteCut(ofConnectionsFromPorts ports: Set<Int32>) {
        if let localPort, ports.contains(localPort), refusal == nil { refusal = .flooded }
    }

    /// Records that libcurl waits for bytes from a socket. While it connects, it waits only until it can write.
    func noteReading(from socket: curl_socket_t) {
        guard !hasConnected, !wasSent else { return }
        // A name lookup has a socket, too, but none of the network.
        hasConnected = LocalPort.of(socket) != nil || prepared.origin.unixSocket != nil
    }

    /// Rewinds the body of the request.
    func rewind() -> Bool {
        reader?.seek(to: 0) ?? true
    }

    /// Provides bytes of the request's body.
    func readBody(into room: UnsafeMutableRawBufferPointer) -> ReadResult {
        if isPaused { return .later }
        watch.noteProgress()
        guard let reader = bodyReader() else { return .never }
        guard let count = reader.read(into: room) else {
            refusal = .bodyUnreadable(reader.failure ?? "the body cannot be read")
            return .never
        }
        if count > 0 && reader.isAtEnd { order.monitor?.tell(.sent) }
        return .bytes(count)
    }

    /// Moves to a position in the request's body, to send it again.
    func seekBody(to offset: Int) -> Bool {
        bodyReader()?.seek(to: offset) ?? false
    }

    private func bodyReader() -> BodyReader? {
        if reader == nil { reader = prepared.body.map(BodyReader.init) }
        return reader
    }

    /// Reports progress to the monitor, at most every 100 ms.
    func advance(sent: Int, received: Int, of receivedTotal: Int) {
        // libcurl calls this many times between two bytes.
        guard sent != lastProgress.sent || received != lastProgress.received else { return }
        // What arrived before a pause is delivered after it.
        guard !isPaused else { return }
        let now = ContinuousClock.now
        guard now - (lastProgressAt ?? startedAt) >= .milliseconds(100) else { return }
        lastProgressAt = now
        lastProgress = TransferProgress(
            sent: sent,
            sentTotal: prepared.body?.count ?? 0,
            received: received,
            receivedTotal: receivedTotal > 0 ? receivedTotal : nil
        )
        order.monitor?.tell(.progress(lastProgress))
    }

    /// Whether the request may be sent on the connection that libcurl has chosen. libcurl asks before each attempt: it
    /// sends a request again by itself if a reused connection ended without a response, and if it has credentials for a
    /// challenge. The server may have processed a request without sending a response, so only idempotent requests are
    /// sent again, and only once.
    func mayBeSent(fromPort localPort: Int32) -> Bool {
        guard let handle, refusal != .flooded else { return false }
        // A Unix socket has no port.
        self.localPort = max(0, localPort)
        let answersChallenge = head.asksForAnother
        if wasSent && !answersChallenge && (sendings > 1 || !prepared.request.isIdempotent) {
            return refuse(.sentTwice(overHTTP2: carriesHTTP2(handle)))
        }
        guard connectionIsUsable(handle, fromPort: localPort, isRepetition: wasSent && !answersChallenge) else {
            return refuse(.connectionUnusable)
        }
        if answersChallenge {
            if head.asksForCredentials { challenges += 1 }
            guard challenges <= Self.mostChallenges else { return refuse(.nonceStaleTwice) }
            head.beginAgain()
            body = []
            announcedBytes = nil
            decoding = .undecided
        }
        if let pins = prepared.pins, let refusal = Self.check(pins, handle) {
            return refuse(refusal)
        }
        if prepared.request.options.needsCertificate {
            certificate = OpenSSL.linked?.certificates(of: handle.pointer)?.first?.server
        }
        marks.mark(connectionFromPort: localPort, as: prepared.request.options.traffic)
        // Without TLS, no request waits for a connection that may not be shared.
        if prepared.origin.isSecure, !TransferReport(handle).isConnectionReused,
            OpenSSL.linked?.isHTTP2(handle.pointer) != true
        {
            marks.hasUnsharedConnection = true
        }
        guard prepared.purpose != .connection else { return true }
        // A server that asked for credentials has not processed the request.
        sendings = answersChallenge ? 1 : sendings + 1
        stream = ([], false)
        if prepared.body?.smallBytes != nil || prepared.body == nil { order.monitor?.tell(.sent) }
        return true
    }

    /// Whether the chosen connection can carry the request now. A reused HTTP/1.1 connection cannot
    ///
    /// - if bytes arrived before the request was sent: the rest of an earlier response, or the end of the TLS session.
    ///   libcurl 7.88 would treat them as the response, which RFC 9112, section 6.3, forbids.
    /// - if the request is sent again because another reused connection ended, as this one may have, too.
    /// - if another transfer may use it. After a response that claims to be HTTP/2, libcurl 7.88 lets all requests for
    ///   which HTTP/2 is offered share connections to its host, so that two transfers receive each other's responses.
    private func connectionIsUsable(_ handle: EasyHandle, fromPort port: Int32, isRepetition: Bool) -> Bool {
        guard TransferReport(handle).isConnectionReused,
            isRepetition || marks.hasUnreadBytes(connectionFromPort: port)
                || (marks.mayBeShared && !prepared.choosesHTTP1)
        else { return true }
        return carriesHTTP2(handle)
    }

    /// Whether the connection of a handle uses HTTP/2.
    private func carriesHTTP2(_ handle: EasyHandle) -> Bool {
        if prepared.request.options.version == .http2PriorKnowledge { return true }
        return prepared.origin.isSecure && OpenSSL.linked?.isHTTP2(handle.pointer) != false
    }

    private static func check(_ pins: PinSet, _ handle: EasyHandle) -> Refusal? {
        guard let shown = OpenSSL.linked?.certificates(of: handle.pointer) else { return .pinsUnknown }
        return pins.contains(anyOf: shown) ? nil : .pinMismatch
    }
}
