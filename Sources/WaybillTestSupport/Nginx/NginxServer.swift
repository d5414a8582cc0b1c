import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An nginx of its own, with its files in a temporary folder, for tests that want a real server. It must be stopped;
/// `NginxServer.run` does it by itself.
///
/// Tests that use it say `.enabled(if: NginxServer.isWanted, "nginx is not installed")`.
package final class NginxServer: Sendable {
    /// The port that the system chose.
    package let port: Int

    private static let executable = "/usr/sbin/nginx"
    private let folder: TemporaryFolder
    private let process: Mutex<pid_t?>

    /// Whether tests should use nginx: where it is installed, and in CI also where it is not, and then fail.
    package static var isWanted: Bool {
        access(executable, X_OK) == 0 || getenv("CI").map { String(cString: $0) } == "true"
    }

    /// Starts nginx with these directives in its one `server` block. `listen` says more about its port, such as
    /// `ssl http2`.
    package init(_ directives: String, listen: String = "") throws {
        let socket = try LoopbackSocket.listening()
        defer { close(socket.descriptor) }
        port = socket.port
        folder = TemporaryFolder()
        folder.write(
            Self.configuration(folder: folder.path, port: socket.port, listen: listen, directives: directives),
            to: "nginx.conf"
        )
        process = Mutex(try Self.start(folder: folder.path, listener: socket.descriptor))
    }

    /// Starts nginx, uses it, and stops it.
    package static func run<Result>(
        _ directives: String,
        listen: String = "",
        _ body: (NginxServer) async throws -> Result
    ) async throws -> Result {
        let server = try NginxServer(directives, listen: listen)
        return try await ThreadHandle.run {
            try await body(server)
        } finally: {
            server.stop()
        }
    }

    /// The address of a path (with its query) on this server.
    package func url(_ path: String = "/") -> String {
        "http://127.0.0.1:\(port)\(path)"
    }

    /// A request as nginx logged it.
    package struct LoggedRequest: Sendable {
        /// When the request began, in seconds since 1970.
        package let start: Double
        /// When the response had been sent, in seconds since 1970.
        package let end: Double
        /// The status of the response.
        package let status: Int
        /// Method, target and version.
        package let request: String
    }

    /// The requests so far, in the order in which they ended.
    package var log: [LoggedRequest] {
        (folder.read("access.log") ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 3)
            guard parts.count == 4, let end = Double(parts[0]), let time = Double(parts[1]), let status = Int(parts[2])
            else { return nil }
            return LoggedRequest(start: end - time, end: end, status: status, request: String(parts[3]))
        }
    }

    /// Ends nginx and waits until it is gone. Later calls do nothing.
    package func stop() {
        let taken = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let taken else { return }
        kill(taken, SIGTERM)
        while waitpid(taken, nil, 0) < 0 && errno == EINTR {}
    }

    private static func configuration(folder: String, port: Int, listen: String, directives: String) -> String {
        let bodies = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
        return """
            daemon off;
            worker_processes 1;
            pid \(folder)/nginx.pid;
            error_log \(folder)/error.log;
            events { worker_connections 4096; }
            http {
                log_format timed '$msec $request_time $status $request';
                access_log \(folder)/access.log timed;
                keepalive_requests 1000000;
                \(bodies.joined(separator: " "))
                server {
                    listen 127.0.0.1:\(port) backlog=1024 \(listen);
                    \(directives)
                }
            }

            """
    }

    // nginx is handed the socket that listens, as when it replaces itself by a new version: there is no moment at which
    // the port is free, or known and not yet open, so nothing needs to be waited for.
    private static func start(folder: String, listener: Int32) throws -> pid_t {
        #if canImport(Glibc)
            var actions = posix_spawn_file_actions_t()
        #else
            var actions: posix_spawn_file_actions_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let inherited: Int32 = 3
        posix_spawn_file_actions_adddup2(&actions, listener, inherited)
        let arguments = [executable, "-p", folder, "-c", "\(folder)/nginx.conf", "-e", "\(folder)/error.log"]
        var process = pid_t()
        let code = withCStrings(arguments) { arguments in
            withCStrings(["NGINX=\(inherited);"]) { environment in
                posix_spawn(&process, executable, &actions, nil, arguments, environment)
            }
        }
        guard code == 0 else { throw LoopbackError(call: "posix_spawn \(executable)", errno: code) }
        return process
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
