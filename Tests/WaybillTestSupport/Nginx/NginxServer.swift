import Synchronization
import WaybillPlatform

/// An nginx process with its files in a temporary folder, for tests that need a real server. It must be stopped;
/// `NginxServer.run` does this.
///
/// Tests that use it have `.enabled(if: NginxServer.isWanted, "nginx is not installed")`.
package final class NginxServer: Sendable {
    /// The port that the system chose.
    package let port: Int

    private static let executable = "/usr/sbin/nginx"
    private let folder: TemporaryFolder
    private let process: Mutex<pid_t?>

    /// Whether tests should use nginx: if it is installed, and always in CI, where they fail without it.
    package static var isWanted: Bool {
        access(executable, X_OK) == 0 || getenv("CI").map { String(cString: $0) } == "true"
    }

    /// Starts nginx with these directives in its one `server` block. `listen` has additional parameters for its port,
    /// such as `ssl http2`.
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

    /// The URL of a path (with its query) on this server.
    package func url(_ path: String = "/") -> String {
        "http://127.0.0.1:\(port)\(path)"
    }

    /// A request as nginx logged it.
    package struct LoggedRequest: Sendable {
        /// The status of the response.
        package let status: Int
        /// Method, target and version.
        package let request: String
    }

    /// The requests in the order in which they ended. nginx may write them after their responses, until it is stopped.
    package var log: [LoggedRequest] {
        (folder.read("access.log") ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let status = Int(parts[0]) else { return nil }
            return LoggedRequest(status: status, request: String(parts[1]))
        }
    }

    /// Stops nginx and waits until it has exited. Later calls do nothing.
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
                log_format short '$status $request';
                access_log \(folder)/access.log short;
                keepalive_requests 1000000;
                \(bodies.joined(separator: " "))
                server {
                    listen 127.0.0.1:\(port) backlog=1024 \(listen);
                    \(directives)
                }
            }

            """
    }

    // nginx inherits the listening socket, as when it replaces itself with a new version: the port is never free, and
    // never known but not yet open, so there is nothing to wait for.
    private static func start(folder: String, listener: Int32) throws -> pid_t {
        let inherited: Int32 = 3
        return try SpawnedProgram.start(
            executable,
            ["-p", folder, "-c", "\(folder)/nginx.conf", "-e", "\(folder)/error.log"],
            environment: ["NGINX": "\(inherited);"],
            files: [.duplicate(listener, as: inherited)]
        )
    }
}
