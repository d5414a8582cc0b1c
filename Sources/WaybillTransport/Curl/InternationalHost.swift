import CIDN2
import CLibCurl
import WaybillFormats

/// Converts internationalised host names of URLs to their ASCII form (IDNA 2008 with the mapping of UTS #46), by libidn2.
///
/// libcurl would convert them too, but reads them in the character set of the locale.
package enum InternationalHost {
    /// The URL with its host in ASCII. Throws for a host that is not a valid internationalised name.
    package static func asciiURL(_ url: String) throws(TransportFailure) -> String {
        func isConverted(_ byte: UInt8) -> Bool { byte >= 0x80 || byte == UInt8(ascii: "%") }
        // Most URLs are plain, and this is called for each request.
        guard url.utf8.contains(where: isConverted) else { return url }
        var reference = URIReference(url)
        guard let text = reference.authority, text.utf8.contains(where: isConverted) else { return url }
        var authority = URIReference.Authority(text)
        // An IPv6 address may have a zone.
        guard authority.host.utf8.first != UInt8(ascii: "[") else { return url }
        guard let host = PercentEncoding.decoded(authority.host) else {
            throw invalid("its percent-encoded bytes are not UTF-8")
        }
        authority.host = try ascii(host)
        reference.authority = authority.description
        return reference.description
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
