import WaybillPlatform

/// IP addresses, as the system reads them (RFC 2673, section 3.2, and RFC 4291, section 2.2).
package enum AddressFormat {
    /// Whether a string is four numbers up to 255, without leading zeros.
    package static func isIPv4(_ text: some StringProtocol) -> Bool { isAddress(text, AF_INET) }

    /// Whether a string is eight groups of hexadecimal digits, with at most one `::` for groups of zero. An IPv4
    /// address may replace the last two groups.
    package static func isIPv6(_ text: some StringProtocol) -> Bool { isAddress(text, AF_INET6) }

    private static func isAddress(_ text: some StringProtocol, _ family: Int32) -> Bool {
        var address = in6_addr()
        return unsafe !text.utf8.contains(0) && inet_pton(family, String(text), &address) == 1
    }
}
