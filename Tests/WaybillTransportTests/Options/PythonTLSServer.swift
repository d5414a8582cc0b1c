import Synchronization
import Testing
import WaybillPlatform
import WaybillTestSupport

/// A TLS server written in Python, for behaviour that nginx does not offer.
enum PythonTLSServer {
    /// Creates `context` and `listener`, and writes the port to a file.
    private static let start = """
        import os, socket, ssl, sys, threading
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        listener = socket.create_server(("127.0.0.1", 0))
        with open(sys.argv[1] + ".part", "w") as file:
            file.write(str(listener.getsockname()[1]))
        os.rename(sys.argv[1] + ".part", sys.argv[1])

        """

    /// Runs a program, whose own arguments start with `sys.argv[4]`, until the body returns. The body receives the
    /// server's URL and its authorities.
    static func run<Result>(
        _ program: String,
        _ arguments: [String] = [],
        _ body: (_ url: String, _ authorities: String) async throws -> Result
    ) async throws -> Result {
        let certificates = try await TLSTests.certificates.value
        let folder = TemporaryFolder()
        let portFile = "\(folder.path)/port"
        let started = Mutex<pid_t?>(nil)
        let files = [portFile, certificates.file("valid.pem"), certificates.file("valid.key")]
        async let _ = Command.run(
            "/usr/bin/env",
            ["python3", "-c", start + program] + files + arguments,
            onStart: { pid in started.withLock { $0 = pid } }
        )
        defer { if let pid = started.withLock({ $0 }) { kill(pid, SIGKILL) } }
        for _ in 0..<12_000 where access(portFile, R_OK) != 0 { try await Task.sleep(for: .milliseconds(5)) }
        let port = try #require(folder.read("port"))
        return try await body("https://127.0.0.1:\(port)", certificates.file("ca.pem"))
    }
}
