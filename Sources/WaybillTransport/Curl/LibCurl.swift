import CLibCurl

/// The library as a whole.
enum LibCurl {
    // Once in the process, and safe from any thread because `static let` is.
    private static let initialization = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Its version, a byte for each number.
    static let version = waybill_version_info().pointee.version_num

    /// Makes the library ready for use. Throws when it cannot do what the transport builds on.
    static func setUp() throws(TransportSetUpError) {
        guard initialization == CURLE_OK else {
            throw TransportSetUpError(reason: "libcurl: \(String(cString: curl_easy_strerror(initialization)))")
        }
        let version = waybill_version_info().pointee
        guard version.version_num >= 0x075800 else {
            throw TransportSetUpError(reason: "libcurl is \(String(cString: version.version)); 7.88 is needed")
        }
        guard version.features & CURL_VERSION_ASYNCHDNS != 0 else {
            // One look-up would stop all transfers.
            throw TransportSetUpError(reason: "libcurl was built without asynchronous look-up of names")
        }
    }
}
