import CLibCurl

/// One request in flight with the part of its response received so far. Used only on the engine's thread.
final class Transfer {
    /// What was asked for.
    let order: TransferOrder
    /// The easy handle while libcurl works for the transfer.
    var handle: EasyHandle? {
        didSet { if handle != nil { startedAt = .now } }
    }
    /// Whether it waits for its turn.
    var isQueued = false
    /// Whether it counts among those under way to its origin.
    var isCounted = false
    /// The time of the transfer, where the engine and not libcurl keeps it.
    var clock: TransferClock?
    /// When the transfer started.
    private(set) var startedAt = ContinuousClock.Instant.now
    /// How long the transfer was paused after it had started, and since when it is.
    private var pausedTime = Duration.zero
    private var pausedSince: ContinuousClock.Instant?
    /// What became of the transfer.
    private(set) var outcome: TransferOutcome?

    /// The lines of the response's header.
    private(set) var head = ResponseHeadCollector()
    /// The decoded body so far, if it is wanted whole.
    private(set) var body: [UInt8] = []
    /// Why we, not libcurl, end the transfer.
    private(set) var refusal: Refusal?
    /// Whether the request was given to a connection.
    var wasSent: Bool { sendings > 0 }

    /// How often the request was sent again because its credentials answered a challenge that was stale.
    var repetitions: Int { min(Self.mostChallenges, max(1, challenges)) - 1 }

    /// Marks the transfer's packets.
    let marks: SocketMarks

    private let watch: CallWatch
    // The port of this side of the connection that the request was given to.
    private var localPort: Int32?
    /// The server's certificate, if the request needs it.
    private(set) var certificate: ServerCertificate?
    private var reader: BodyReader?
    private var decoding = Decoding.undecided
    private var sendings = 0
    private var hasBegunChannel = false
    private var bodyEndsWithConnection = false
    private var isEndAnnounced = false
    // How often the server has asked for credentials and libcurl was to send the request again.
    private var challenges = 0
    // A challenge, and a new one in place of one that is stale (RFC 7616, section 3.3).
    private static let mostChallenges = 2
    // What was told last, and when.
    private var lastProgress = TransferProgress(sent: 0, sentTotal: 0, received: 0)
    private var lastProgressAt: ContinuousClock.Instant?

    /// A transfer that has not started.
    init(_ order: TransferOrder, marks: SocketMarks, watch: CallWatch) {
        self.order = order
        self.marks = marks
        self.watch = watch
    }

    /// The transfer's name among those of the engine.
    var id: ObjectIdentifier { ObjectIdentifier(order.cancellation) }
    /// What is sent.
    var prepared: PreparedRequest { order.prepared }
    /// Whether somebody holds it up.
    var isPaused: Bool { order.monitor?.isPaused ?? false }
    /// Whether anybody wants to know how far it is.
    var wantsProgress: Bool { order.monitor?.hasListener ?? false }

    /// Notes that the transfer is paused from now on, or no longer.
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

    /// Takes the outcome. It is delivered later.
    func end(with outcome: TransferOutcome) {
        self.outcome = outcome
    }

    /// Hands the outcome over to the task that waits for it. To be called once, after the end.
    func deliver() {
        if let outcome { order.delivery.finish(outcome) }
    }

    /// What was done with bytes that libcurl gave.
    enum Reception {
        case taken, later, never
    }

    /// What libcurl gets when it asks for bytes.
    enum Provision {
        case bytes(Int)
        case later, never
    }

    /// Why a transfer is ended by us.
    enum Refusal: Equatable {
        case bodyTooLarge, headerTooLarge, headerIncomplete, headerStartsFolded, nonceStaleTwice, endNotAnnounced,
            pinMismatch,
            pinsUnknown, flooded, connectionUnusable, versionNotAgreed
        case sentTwice(overHTTP2: Bool)
        case announcedBodyTooLarge(Int)
        case invalidFraming(ResponseFraming.Fault)
        case bodyUnreadable(String)
        case malformedStatusLine(String)
        case unknownCoding(String)
        case malformedCoding([String])
        case incompleteCoding([String])
        case bytesAfterCoding([String])
    }

    /// What happens to the body of the response.
    private enum Decoding {
        case undecided, none
        case by(BodyDecoding)
    }

    /// Takes lines of the response's header, or of its trailers: usually one, but all that came while the transfer was paused
    /// at once. False ends the transfer.
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
        guard head.append(line) else {
            refusal = .headerTooLarge
            return false
        }
        guard head.hasStatusLine else {
            refusal = .malformedStatusLine(String(decoding: line[...].withoutOuterBlanks, as: UTF8.self))
            return false
        }
        return wasComplete || !head.isComplete || (checkVersion() && checkBodyLength())
    }

    private func checkVersion() -> Bool {
        guard head.claimsHTTP2, let handle, !carriesHTTP2(handle) else { return true }
        marks.mayBeShared = true
        refusal = .versionNotAgreed
        return false
    }

    private func checkBodyLength() -> Bool {
        do {
            let length = try head.bodyLength(for: prepared.request.method)
            bodyEndsWithConnection = length == .untilClose
            guard case .bytes(let count) = length, count > prepared.request.maximumBodyBytes, keepsBody else {
                return true
            }
            refusal = .announcedBodyTooLarge(count)
        } catch {
            refusal = .invalidFraming(error)
        }
        return false
    }

    /// Inspects how the connection ends where the body ends with it. Called whenever something has come, also after the
    /// last byte and before the connection is given up.
    func inspectConnection() {
        guard bodyEndsWithConnection, prepared.origin.isSecure, !isEndAnnounced, let handle else { return }
        isEndAnnounced = TLSEnd.openSSL?.isAnnounced(to: handle.pointer) ?? true
    }

    /// Whether the body is kept as it comes. The limit is for what has been decoded, and libcurl drops the body of a
    /// response whose challenge it answers.
    private var keepsBody: Bool {
        prepared.purpose == .exchange && !(prepared.request.acceptsCompression && !head.codings.isEmpty)
            && !(head.asksForAnother && prepared.request.options.credentials != .none)
    }

    /// Takes a part of the body as it came. With `EasyHandle.checksHeadFirst`, also takes what `receiveHeader` takes next.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Reception {
        if !bytes.isEmpty { watch.noteProgress() }
        if EasyHandle.checksHeadFirst, !head.isComplete {
            guard !head.hasField, bytes.first == UInt8(ascii: " ") || bytes.first == UInt8(ascii: "\t") else {
                return .taken
            }
            refusal = .headerStartsFolded
            return .never
        }
        if order.monitor?.isPaused == true, let handle, TransferReport(handle).mayPauseReceiving { return .later }
        if case .undecided = decoding {
            guard decideOnDecoding() else { return .never }
        }
        guard case .by(let decoder) = decoding else { return keep(bytes) }
        switch decoder.take(bytes, keep: keep) {
        case .taken: return .taken
        case .later: return .later
        case .never: return .never
        case .malformed:
            refusal = .malformedCoding(decoder.codings)
            return .never
        case .excess:
            refusal = .bytesAfterCoding(decoder.codings)
            return .never
        }
    }

    /// Whether the header and the body that have come are all of them. Otherwise there is a refusal.
    func checkIsWhole() -> Bool {
        // libcurl treats the end of the connection as the end of the header.
        guard head.isComplete || prepared.purpose == .connection else {
            refusal = .headerIncomplete
            return false
        }
        guard !bodyEndsWithConnection || !prepared.origin.isSecure || isEndAnnounced else {
            refusal = .endNotAnnounced
            return false
        }
        guard case .by(let decoder) = decoding, !decoder.isComplete else { return true }
        refusal = .incompleteCoding(decoder.codings)
        return false
    }

    private func decideOnDecoding() -> Bool {
        decoding = .none
        let codings = prepared.request.acceptsCompression ? head.codings : []
        guard !codings.isEmpty else { return true }
        do {
            if let decoder = try BodyDecoding(codings) { decoding = .by(decoder) }
            return true
        } catch {
            refusal = .unknownCoding(error.coding)
            return false
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> Reception {
        if let channel = order.channel { return stream(bytes, to: channel) }
        guard bytes.count <= prepared.request.maximumBodyBytes - body.count else {
            refusal = .bodyTooLarge
            return .never
        }
        body.append(contentsOf: bytes)
        return .taken
    }

    private func stream(_ bytes: UnsafeRawBufferPointer, to channel: BodyChannel) -> Reception {
        guard let handle else { return .never }
        if !hasBegunChannel {
            hasBegunChannel = true
            channel.begin(TransferReport(handle).response(to: self), head: head.bytes)
        }
        guard channel.append(bytes) else {
            clock?.stop()
            return .later
        }
        return .taken
    }

    /// Clears and returns the mark that the connection could not be used, so that the request needs a new one.
    func takeRefusalOfConnection() -> Bool {
        guard refusal == .connectionUnusable else { return false }
        refusal = nil
        return true
    }

    /// Whether the request may be sent once more after it ended this way: its connection could not be used, or an
    /// HTTP/2 connection ended before any of the response, as after GOAWAY (RFC 9113, section 6.8). With HTTP/1.1
    /// libcurl sends again by itself.
    func maySendAgain(after code: CURLcode) -> Bool {
        if refusal == .connectionUnusable { return true }
        return [CURLE_HTTP2, CURLE_HTTP2_STREAM].contains(code) && sendings == 1 && !head.hasBegun && refusal == nil
            && prepared.request.isIdempotent
    }

    /// Notes that connections were ended because their servers sent data without any part of a response.
    func noteCut(ofConnectionsFromPorts ports: Set<Int32>) {
        if let localPort, ports.contains(localPort), refusal == nil { refusal = .flooded }
    }

    /// Goes back to the start of the request.
    func rewind() -> Bool {
        reader?.seek(to: 0) ?? true
    }

    /// Gives bytes of the request's body.
    func readBody(into room: UnsafeMutableRawBufferPointer) -> Provision {
        if isPaused { return .later }
        guard let reader = bodyReader() else { return .never }
        guard let count = reader.read(into: room) else {
            refusal = .bodyUnreadable(reader.failure ?? "the body cannot be read")
            return .never
        }
        if count > 0 && reader.isAtEnd { order.monitor?.tell(.sent) }
        return .bytes(count)
    }

    /// Goes back in the request's body, to send it again.
    func seekBody(to offset: Int) -> Bool {
        bodyReader()?.seek(to: offset) ?? false
    }

    private func bodyReader() -> BodyReader? {
        if reader == nil { reader = prepared.body.map(BodyReader.init) }
        return reader
    }

    /// Tells how far the transfer is, if it is worth telling.
    func advance(sent: Int, received: Int, of receivedTotal: Int) {
        // libcurl asks many times between two bytes.
        guard sent != lastProgress.sent || received != lastProgress.received else { return }
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

    /// Whether the request may be sent on the connection that libcurl has chosen. libcurl asks before each time: it sends
    /// again by itself when a kept connection ended without a response, and when it has credentials for a challenge. The
    /// server may have done the work of a request without a response, so only idempotent requests are sent again, and once.
    func mayBeSent(fromPort localPort: Int32) -> Bool {
        guard let handle, refusal != .flooded else { return false }
        // There is none for a Unix socket.
        self.localPort = max(0, localPort)
        let answersChallenge = head.asksForAnother
        if wasSent && !answersChallenge && (sendings > 1 || !prepared.request.isIdempotent) {
            refusal = .sentTwice(overHTTP2: carriesHTTP2(handle))
            return false
        }
        guard connectionIsUsable(handle, fromPort: localPort, isRepetition: wasSent && !answersChallenge) else {
            refusal = .connectionUnusable
            return false
        }
        if answersChallenge {
            if head.asksForCredentials { challenges += 1 }
            guard challenges <= Self.mostChallenges else {
                refusal = .nonceStaleTwice
                return false
            }
            head.beginAgain()
            body = []
            decoding = .undecided
        }
        if let pins = prepared.pins, let refusal = Self.check(pins, handle) {
            self.refusal = refusal
            return false
        }
        if prepared.request.options.needsCertificate {
            certificate = PeerCertificates.openSSL?.certificates(of: handle.pointer)?.first?.server
        }
        marks.mark(connectionFromPort: localPort, as: prepared.request.options.traffic)
        guard prepared.purpose != .connection else { return true }
        // A server that asked for credentials has not done the work.
        sendings = answersChallenge ? 1 : sendings + 1
        if prepared.body?.smallBytes != nil || prepared.body == nil { order.monitor?.tell(.sent) }
        return true
    }

    /// Whether the chosen connection can carry the request now. A kept connection of HTTP/1.1 cannot
    ///
    /// - where something has come before the request: the rest of an earlier response, or the end of the TLS session.
    ///   libcurl 7.88 would take it for the response (RFC 9112, section 6.3: it must not).
    /// - where the request is sent again because another kept connection ended, as this one may have, too.
    /// - where another transfer may use it. After a response that claims to be HTTP/2, libcurl 7.88 lets all requests for
    ///   which HTTP/2 is offered share connections to its host, and each of two transfers receives the other's response.
    private func connectionIsUsable(_ handle: EasyHandle, fromPort port: Int32, isRepetition: Bool) -> Bool {
        guard TransferReport(handle).isConnectionReused,
            isRepetition || marks.hasUnreadBytes(connectionFromPort: port)
                || (marks.mayBeShared && !prepared.choosesHTTP1)
        else { return true }
        return carriesHTTP2(handle)
    }

    /// Whether HTTP/2 was agreed on with the server.
    private func carriesHTTP2(_ handle: EasyHandle) -> Bool {
        if prepared.request.options.version == .http2PriorKnowledge { return true }
        return prepared.origin.isSecure && TLSProtocol.openSSL?.isHTTP2(handle.pointer) != false
    }

    private static func check(_ pins: PinSet, _ handle: EasyHandle) -> Refusal? {
        guard let shown = PeerCertificates.openSSL?.certificates(of: handle.pointer) else { return .pinsUnknown }
        return pins.contains(anyOf: shown) ? nil : .pinMismatch
    }
}
