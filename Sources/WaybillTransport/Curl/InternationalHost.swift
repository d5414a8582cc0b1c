import CIDN2
import CLibCurl
import WaybillFormats

/// Converts internationalised host names of URLs to their ASCII form (IDNA 2008 with the mapping of UTS #46), by libidn2.
///
/// libcurl would convert them too, but reads them in the character set of the locale.
package enum InternationalHost {
    /// The URL with its host in ASCII. Throws for a host that is not a valid internationalised name.
    package static func asciiURL(_ url: String) throws(TransportFailure) -> String {
        guard let authority = authority(of: url),
            url.utf8[authority].contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") })
        else { return url }
        var start = authority.lowerBound
        if let at = url[authority].lastIndex(of: "@") { start = url.index(after: at) }
        let colon = url[start..<authority.upperBound].lastIndex(of: ":")
        let end = colon ?? authority.upperBound
        // An IPv6 address may have a zone.
        guard url[start..<end].first != "[" else { return url }
        guard let host = URIReference.percentDecoded(String(url[start..<end])) else {
            throw invalid("its percent-encoded bytes are not UTF-8")
        }
        return String(url[..<start]) + (try ascii(host)) + String(url[end...])
    }

    private static func authority(of url: String) -> Range<String.Index>? {
        guard let slashes = url.utf8.firstIndex(of: UInt8(ascii: "/")), url.utf8[slashes...].starts(with: "//".utf8)
        else { return nil }
        let start = url.utf8.index(slashes, offsetBy: 2)
        let end = url.utf8[start...].firstIndex {
            [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0)
        }
        return start..<(end ?? url.endIndex)
    }

    private static func ascii(_ host: String) throws(TransportFailure) -> String {
        var result: UnsafeMutablePointer<UInt8>?
        let flags = Int32(bitPattern: IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        let code = (Array(host.utf8) + [0]).withUnsafeBufferPointer { idn2_lookup_u8($0.baseAddress!, &result, flags) }
        guard code == 0, let result else {
            throw invalid(idn2_strerror(code).map { String(cString: $0) } ?? "code \(code)")
        }
        defer { idn2_free(result) }
        let name = String(cString: result)
        let isName =
            name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !name.contains(where: { "/?#@:[]\\%".contains($0) })
        guard isName else { throw invalid("it contains a character that a host name cannot have") }
        return name
    }

    private static func invalid(_ reason: String) -> TransportFailure {
        .refused(CURLE_URL_MALFORMAT, "the URL's host is not a valid internationalised name: \(reason)")
    }
}
