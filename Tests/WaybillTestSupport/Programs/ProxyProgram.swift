import Synchronization
import WaybillPlatform

/// A proxy program from Debian on 127.0.0.1, for tests that need a real one. It must be stopped; `run` does this.
///
/// Tests that use it have `.enabled(if: ProxyProgram.isWanted, "tinyproxy and microsocks are not installed")`.
package final class ProxyProgram: Sendable {
    /// The kind of proxy.
    package enum Kind: Sendable {
        /// tinyproxy, for HTTP and CONNECT.
        case http
        /// microsocks, for SOCKS 5.
        case socks
    }

    /// The port that it listens on.
    package let port: Int
    private let folder = TemporaryFolder()
    private let process: Mutex<pid_t?>

    /// Whether tests should use proxies: if they are installed, and always in CI, where they fail without them.
    package static var isWanted: Bool {
        let isThere = access("/usr/bin/tinyproxy", X_OK) == 0 && access("/usr/bin/microsocks", X_OK) == 0
        return isThere || getenv("CI").map { String(cString: $0) } == "true"
    }

    /// Starts a proxy, which requires these credentials if there are any, and waits until it accepts connections.
    package init(_ kind: Kind, username: String? = nil, password: String = "") throws {
        for _ in 1...5 {
            let port = try LoopbackSocket.freePort()
            if let started = try Self.start(kind, on: port, username: username, password: password, in: folder) {
                self.port = port
                process = Mutex(started)
                return
            }
        }
        throw LoopbackError(call: "starting a proxy", errno: EADDRINUSE)
    }

    /// Starts a proxy on a port; nil if it ended immediately because another process had taken the port.
    private static func start(
        _ kind: Kind,
        on port: Int,
        username: String?,
        password: String,
        in folder: TemporaryFolder
    ) throws -> pid_t? {
        let command: [String]
        switch kind {
        case .http:
            let credentials = username.map { "BasicAuth \($0) \(password)" } ?? ""
            let file = folder.write(
                "Port \(port)\nListen 127.0.0.1\nTimeout 60\nMaxClients 50\nAllow 127.0.0.1\nLogLevel Critical\n\(credentials)\n",
                to: "tinyproxy.conf"
            )
            command = ["/usr/bin/tinyproxy", "-d", "-c", file]
        case .socks:
            let credentials = username.map { ["-u", $0, "-P", password] } ?? []
            command = ["/usr/bin/microsocks", "-i", "127.0.0.1", "-p", String(port)] + credentials
        }
        let started = try SpawnedProgram.start(
            command[0],
            Array(command.dropFirst()),
            environment: [:],
            files: [STDOUT_FILENO, STDERR_FILENO].map { .open("/dev/null", O_WRONLY, as: $0) }
        )
        // Neither program reports when it is ready. Another program that was faster may accept the connection.
        while !LoopbackSocket.accepts(port: port) {
            guard waitpid(started, nil, WNOHANG) == 0 else { return nil }
            usleep(1000)
        }
        return waitpid(started, nil, WNOHANG) == 0 ? started : nil
    }

    /// Starts a proxy, uses it, and stops it.
    package static func run<Result>(
        _ kind: Kind,
        username: String? = nil,
        password: String = "",
        _ body: (ProxyProgram) async throws -> Result
    ) async throws -> Result {
        let proxy = try ProxyProgram(kind, username: username, password: password)
        defer { proxy.stop() }
        return try await body(proxy)
    }

    /// Stops the proxy and waits until it has exited. Later calls do nothing.
    package func stop() {
        let taken = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let taken else { return }
        kill(taken, SIGKILL)
        while waitpid(taken, nil, 0) < 0 && errno == EINTR {}
    }
}
