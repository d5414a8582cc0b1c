import WaybillMock
import WaybillPipeline

/// A server on this machine that responds with the `mock` examples of a manifest, for clients other than a run. A run has its
/// own with ``ManifestRun/Options/usesMock``.
public final class ManifestMockServer: Sendable {
    private let server: MockServer

    /// The address, such as `http://127.0.0.1:40123`. The path of a request selects the endpoint, whatever its service.
    public let url: String

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - manifest: The manifest, also with graphs that a run would not use.
    ///   - port: The port; 0 for a free one.
    /// - Throws: ``RunError`` with the code `RunError.Code.transport` if the port is in use.
    public init(for manifest: Manifest, port: Int = 0) throws(RunError) {
        let server = MockServer(routes: manifest.mockRoutes)
        self.server = server
        url = "http://127.0.0.1:\(try RunError.mapping(to: .transport) { try server.start(port: port) })"
    }

    /// Stops the server and closes all connections.
    public func stop() async { await server.stop() }
}
