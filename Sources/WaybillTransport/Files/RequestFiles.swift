import CLibCurl
import Synchronization

/// The files that requests name besides their bodies: pins, cookie jars and certificates. Each is looked at
/// once for all requests of a transport, on the thread that prepares the first request which names it, and never on that
/// of the transfers, which it could hold up. What is missing or wrong is looked at again the next time.
final class RequestFiles: Sendable {
    private struct State {
        var pins: [[TransferOptions.TLS.Pin]: PinSet] = [:]
        // The cookies that have been read; none any more when the engine has taken them over.
        var jars: [String: [String]] = [:]
        // Files that others will open by name, and that do not keep them waiting.
        var plain: Set<String> = []
    }

    private let state = Mutex(State())

    /// Whether a request can be prepared without a look at any file.
    func hasSeenAll(of request: HTTPRequest) -> Bool {
        guard !request.body.hasFiles else { return false }
        let named = request.options.plainFiles
        let jar = request.options.jarFile
        let pins = request.options.tls.pins
        if named.isEmpty && jar == nil && pins.isEmpty { return true }
        return state.withLock { state in
            named.allSatisfy(state.plain.contains) && jar.map { state.jars[$0] != nil } ?? true
                && (pins.isEmpty || state.pins[pins] != nil)
        }
    }

    /// Looks at the files that a request names, except its body and its pins. Throws for what cannot be used.
    func look(for request: HTTPRequest) throws(TransportFailure) {
        for path in request.options.plainFiles where !state.withLock({ $0.plain.contains(path) }) {
            guard try Self.isPlain(path) else { continue }
            state.withLock { _ = $0.plain.insert(path) }
        }
        if let path = request.options.jarFile, state.withLock({ $0.jars[path] == nil }) {
            let lines = try CookieJarFile(path: path).lines()
            // Another request may have been faster, and the engine may have taken its cookies over.
            state.withLock { state in
                if state.jars[path] == nil { state.jars[path] = lines }
            }
        }
    }

    /// The set of some pins; nil for none. Throws for pins that cannot be read.
    func pinSet(for pins: [TransferOptions.TLS.Pin]) throws(TransportFailure) -> PinSet? {
        guard !pins.isEmpty else { return nil }
        if let known = state.withLock({ $0.pins[pins] }) { return known }
        let set = try PinSet(pins)
        state.withLock { $0.pins[pins] = set }
        return set
    }

    /// Hands the cookies of a jar over, once: it is in a share handle from now on.
    func takeCookies(ofJar path: String) -> [String] {
        state.withLock { $0.jars.updateValue([], forKey: path) } ?? []
    }

    /// Whether opening a file will not wait for somebody, as a pipe does. Throws where it would. A certificate that is not
    /// there is libcurl's to tell.
    private static func isPlain(_ path: String) throws(TransportFailure) -> Bool {
        switch FileContent.kind(of: path) {
        case .regular: return true
        case .missing: return false
        case .other:
            throw TransportFailure(
                kind: .tls,
                code: Int32(CURLE_SSL_CERTPROBLEM.rawValue),
                message: "\(path) is not a file that can hold certificates or keys"
            )
        }
    }
}

extension TransferOptions {
    /// The files that libcurl opens by itself.
    fileprivate var plainFiles: [String] {
        var files: [String] = []
        if let file = tls.certificateAuthorities { files.append(file) }
        if let file = tls.clientCertificate { files.append(file) }
        if let file = tls.clientKey { files.append(file) }
        return files
    }

    fileprivate var jarFile: String? {
        if case .jar(let path) = cookies { path } else { nil }
    }
}

extension HTTPRequest.Body {
    /// Whether any of it is read from a file.
    package var hasFiles: Bool {
        switch self {
        case .none, .bytes: false
        case .file: true
        case .parts(let parts):
            parts.contains { part in
                if case .file = part { true } else { false }
            }
        }
    }

    /// How many bytes there are to send; of files as they are now. Nil where one cannot be looked at.
    package var size: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(let file): try? BodyPlan([.file(file)]).count
        case .parts(let parts): try? BodyPlan(parts).count
        }
    }
}
