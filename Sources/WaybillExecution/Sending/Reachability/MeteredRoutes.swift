import Synchronization
import WaybillTransport

/// Finds the network interfaces of requests, for those that must not use a mobile network. A result is cached for a
/// short time, because finding it may require a DNS lookup.
final class MeteredRoutes: Sendable {
    private struct Destination: Hashable {
        var url: Origin?
        var proxy: TransferOptions.Proxy
        var interface: String?
        var unixSocket: String?
    }

    private static let lifetime = Duration.seconds(5)

    private let probe: any NetworkProbe
    private let clock: any RunClock
    private let known = Mutex<[Destination: (interface: NetworkInterface?, at: Duration)]>([:])

    /// Nothing is known.
    init(_ probe: any NetworkProbe, clock: any RunClock) {
        self.probe = probe
        self.clock = clock
    }

    /// Returns the interface that a request would use, if it is a mobile one.
    func mobileInterface(towards request: HTTPRequest) async -> NetworkInterface? {
        let options = request.options
        let destination = Destination(
            url: try? Origin(ofURL: request.url, connectTo: request.connectTo, resolve: options.resolve),
            proxy: options.proxy,
            interface: options.interface,
            unixSocket: options.unixSocket
        )
        let interface: NetworkInterface?
        if let known = known.withLock({ $0[destination] }), clock.now - known.at < Self.lifetime {
            interface = known.interface
        } else {
            interface = await probe.interface(towards: request)
            let now = clock.now
            known.withLock { known in
                // Removes expired results.
                known = known.filter { now - $0.value.at < Self.lifetime }
                known[destination] = (interface, now)
            }
        }
        return interface?.isMobile == true ? interface : nil
    }
}
