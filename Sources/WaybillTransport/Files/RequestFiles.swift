import CLibCurl
import Synchronization
import WaybillJSON
import WaybillRuntime

/// The files that requests name in addition to their bodies: pins, cookie jars and certificates. Each is inspected once
/// for all requests of a transport, on the thread that prepares the first request that names it, and never on the
/// engine's thread, which it could delay. Missing or invalid files are inspected again the next time.
final class RequestFiles: Sendable {
    private struct State {
        var pins: [[TransferOptions.TLS.Pin]: PinSet] = [:]
        // The cookies that have been read; empty once the engine has taken them.
        var jars: [CodePoints: [String]] = [:]
        // Files that libcurl will open by name, and that do not block when they are opened.
        var plain: Set<CodePoints> = []
    }

    private let state = Mutex(State())

    /// Whether a request can be prepared without inspecting any file.
    func hasSeenAll(of request: HTTPRequest) -> Bool {
        guard !request.body.hasFiles else { return false }
        let named = request.options.plainFiles
        let jar = request.options.jarFile
        let pins = request.options.tls.pins
        if named.isEmpty && jar == nil && pins.isEmpty { return true }
        return state.withLock { state in
            named.allSatisfy { state.plain.contains(CodePoints($0)) } && jar.map { state.jars[$0] != nil } ?? true
                && (pins.isEmpty || state.pins[pins] != nil)
        }
    }

    /// Inspects the files that a request names, except its body and its pins. Throws for a file that cannot be used.
    func inspectFiles(of request: HTTPRequest) throws(TransportFailure) {
        for path in request.options.plainFiles where !state.withLock({ $0.plain.contains(CodePoints(path)) }) {
            guard try Self.isPlain(path) else { continue }
            state.withLock { _ = $0.plain.insert(CodePoints(path)) }
        }
        if let path = request.options.jarFile, state.withLock({ $0.jars[path] == nil }) {
            let lines = try CookieJarFile(path: path.text).lines()
            // Another request may have been faster, and the engine may have taken its cookies.
            state.withLock { state in
                if state.jars[path] == nil { state.jars[path] = lines }
            }
        }
    }

    /// Returns the set of some pins; nil if there are none. Throws for pins that cannot be read.
    func pinSet(for pins: [TransferOptions.TLS.Pin]) throws(TransportFailure) -> PinSet? {
        guard !pins.isEmpty else { return nil }
        if let known = state.withLock({ $0.pins[pins] }) { return known }
        let set = try PinSet(pins)
        state.withLock { $0.pins[pins] = set }
        return set
    }

    /// Returns the cookies of a jar the first time, and none afterwards: from then on, they are in a share handle.
    func takeCookies(ofJar path: CodePoints) -> [String] {
        state.withLock { $0.jars.updateValue([], forKey: path) } ?? []
    }

    /// Whether a file exists and does not block when it is opened. Throws for one that may block, such as a pipe.
    /// libcurl reports a missing certificate.
    private static func isPlain(_ path: String) throws(TransportFailure) -> Bool {
        switch try? FileStatus(of: path).kind {
        case .file: return true
        case nil: return false
        case .folder, .link, .other:
            throw TransportFailure(
                kind: .tls,
                code: Int32(CURLE_SSL_CERTPROBLEM.rawValue),
                message: "\(path) is not a regular file, so it cannot contain certificates or keys"
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

    fileprivate var jarFile: CodePoints? {
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

    /// The size in bytes of what is in memory, not in files.
    package var bytesInMemory: Int {
        switch self {
        case .none, .file: return 0
        case .bytes(let bytes): return bytes.count
        case .parts(let parts):
            return parts.reduce(0) { size, part in
                guard case .bytes(let bytes) = part else { return size }
                return size + bytes.count
            }
        }
    }

    /// All bytes of the body; `nil` if any of it is read from a file.
    package var bytes: [UInt8]? {
        switch self {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .file: return nil
        case .parts(let parts):
            var all: [UInt8] = []
            for part in parts {
                guard case .bytes(let bytes) = part else { return nil }
                all += bytes
            }
            return all
        }
    }

    /// The number of bytes to send, with the current sizes of files. Nil if a file cannot be inspected.
    package var size: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(let file): try? BodyPlan([.file(file)]).count
        case .parts(let parts): try? BodyPlan(parts).count
        }
    }
}
