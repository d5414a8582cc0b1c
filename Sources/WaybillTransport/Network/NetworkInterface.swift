// An optimised build attributes the types of sockets to this module, which includes their headers.
import CLibCurl
import WaybillPlatform
import WaybillRuntime

/// A network interface of this machine.
package struct NetworkInterface: Sendable, Hashable {
    /// Its name, such as `eth0`.
    package let name: String
    /// Whether it connects to a mobile network, as far as the system and the name show.
    package let isMobile: Bool

    /// Creates an interface with this name. `folder` is where Linux describes interfaces.
    package init(named name: String, describedIn folder: String = "/sys/class/net") {
        self.name = name
        // Modems, including PPP, and their names on Android and Apple's systems.
        let isCalledSo = ["wwan", "rmnet", "ccmni", "ppp", "pdp_ip"].contains { name.hasPrefix($0) }
        isMobile = isCalledSo || Self.isModem("\(folder)/\(name)/uevent")
    }

    /// The interface through which packets to a host would leave now; nil if the host is unknown or there is no route.
    /// Resolves the name and sends nothing else. With a proxy, pass the proxy's host.
    package static func towards(_ endpoint: SocketEndpoint) async -> NetworkInterface? {
        await BlockingCall.run { route(to: endpoint) } ?? nil
    }

    private static func isModem(_ file: String) -> Bool {
        // The kernel generates the file when it is read, so its size is meaningless.
        guard let stream = fopen(file, "re") else { return false }
        defer { fclose(stream) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), stream) != nil {
            if strcmp(line, "DEVTYPE=wwan\n") == 0 { return true }
        }
        return false
    }

    private static func route(to endpoint: SocketEndpoint) -> NetworkInterface? {
        var hints = addrinfo()
        hints.ai_socktype = waybill_datagram
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        var entry = list
        while let current = entry?.pointee {
            if let source = sourceAddress(to: current), let name = nameOfInterface(with: source) {
                return NetworkInterface(named: name)
            }
            entry = current.ai_next
        }
        return nil
    }

    /// The local address from which this machine would send to a target. Connecting a datagram socket looks up the
    /// route without sending a packet.
    private static func sourceAddress(to target: addrinfo) -> sockaddr_storage? {
        let descriptor = socket(target.ai_family, target.ai_socktype, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard connect(descriptor, target.ai_addr, target.ai_addrlen) == 0 else { return nil }
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return code == 0 ? address : nil
    }

    private static func nameOfInterface(with source: sockaddr_storage) -> String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var entry = list
        while let current = entry?.pointee {
            if let address = current.ifa_addr, isSame(address, source) { return String(cString: current.ifa_name) }
            entry = current.ifa_next
        }
        return nil
    }

    private static func isSame(_ left: UnsafeMutablePointer<sockaddr>, _ right: sockaddr_storage) -> Bool {
        guard left.pointee.sa_family == right.ss_family else { return false }
        return withUnsafePointer(to: right) { right in
            switch Int32(left.pointee.sa_family) {
            case AF_INET:
                let left = UnsafeRawPointer(left).loadUnaligned(as: sockaddr_in.self)
                let right = UnsafeRawPointer(right).loadUnaligned(as: sockaddr_in.self)
                return left.sin_addr.s_addr == right.sin_addr.s_addr
            case AF_INET6:
                var left = UnsafeRawPointer(left).loadUnaligned(as: sockaddr_in6.self)
                var right = UnsafeRawPointer(right).loadUnaligned(as: sockaddr_in6.self)
                return memcmp(&left.sin6_addr, &right.sin6_addr, MemoryLayout<in6_addr>.size) == 0
            default:
                return false
            }
        }
    }
}

/// Reads the local port of a socket.
enum LocalPort {
    /// The port; nil if this is not an IPv4 or IPv6 socket.
    static func of(_ socket: Int32) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let family = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket, $0, &length) == 0 ? Int32($0.pointee.sa_family) : -1
            }
        }
        // The port is at the same offset in both families' addresses.
        guard family == AF_INET || family == AF_INET6 else { return nil }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int32(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
    }
}
