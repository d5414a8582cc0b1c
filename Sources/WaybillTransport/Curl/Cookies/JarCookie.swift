/// A cookie in a jar, as far as it determines which requests have it.
struct JarCookie {
    /// The maximum number of cookies that libcurl sends with a request, and of their bytes. It leaves out the others.
    static let maximumSent = 150
    static let maximumSentBytes = 8180
    /// The maximum number of bytes of the name and value of a cookie. libcurl ignores a longer one, and a longer field.
    static let maximumBytes = 4096
    static let maximumFieldBytes = 5000

    /// Its host, or `.example.com` for all hosts of a domain.
    private let domain: String
    private let path: String
    private let isSecure: Bool
    /// The number of its bytes in the field, with the separator.
    let size: Int

    /// Reads a line of a jar's file; `nil` if it has no cookie.
    init?(_ line: String) {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard columns.count == 7 else { return nil }
        let mark = "#HttpOnly_"
        let name = columns[0].hasPrefix(mark) ? columns[0].dropFirst(mark.count) : columns[0]
        domain = name.lowercased()
        path = String(columns[2])
        isSecure = columns[3] == "TRUE"
        size = columns[5].utf8.count + columns[6].utf8.count + "=; ".utf8.count
    }

    /// Whether a request has the cookie (RFC 6265, section 5.4).
    ///
    /// - Parameter host: The host that libcurl compares; `nil` if that is not known, for any host.
    func isSent(to origin: Origin, as host: String?, _ requested: String) -> Bool {
        CookieDomain.isSent(domain, to: host) && (!isSecure || origin.isSecure || origin.isLocal)
            && isSent(toPath: requested)
    }

    /// Section 5.1.4.
    private func isSent(toPath requested: String) -> Bool {
        let (path, requested) = (path.utf8, requested.utf8)
        let slash = UInt8(ascii: "/")
        guard path.count > 1 else { return true }
        guard requested.starts(with: path) else { return false }
        return path.last == slash || [nil, slash].contains(requested.dropFirst(path.count).first)
    }

    /// Whether libcurl ignores a `Set-Cookie` field because of its size.
    static func isTooLarge(_ field: UnsafeRawBufferPointer) -> Bool {
        let value = field[...].drop { $0 != UInt8(ascii: ":") }.dropFirst()
        let pair = value.prefix { $0 != UInt8(ascii: ";") }.withoutOuterBlanks
        return value.count >= maximumFieldBytes || pair.count > maximumBytes
    }
}

extension Origin {
    /// Whether libcurl sends secure cookies to it without TLS.
    fileprivate var isLocal: Bool { ["localhost", "127.0.0.1", "::1"].contains(endpoint.host) }
}
