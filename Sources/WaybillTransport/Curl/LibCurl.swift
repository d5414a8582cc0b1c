import CLibCurl

/// The library as a whole.
enum LibCurl {
    /// Why the library cannot be used, found once in the process.
    private static let problem = initialize()

    /// Its version, a byte for each number.
    static let version = waybill_version_info().pointee.version_num

    /// Whether it was built with TLS-SRP.
    static let supportsSRP = waybill_version_info().pointee.features & CURL_VERSION_TLSAUTH_SRP != 0

    /// Makes the library ready for use. Throws when it cannot do what the transport requires.
    static func setUp() throws(TransportSetUpError) {
        if let problem { throw problem }
    }

    private static func initialize() -> TransportSetUpError? {
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard code == CURLE_OK else {
            return TransportSetUpError(reason: "libcurl: \(String(cString: curl_easy_strerror(code)))")
        }
        let version = waybill_version_info().pointee
        guard version.version_num >= 0x075800 else {
            return TransportSetUpError(reason: "libcurl is \(String(cString: version.version)); 7.88 is required")
        }
        guard version.features & CURL_VERSION_ASYNCHDNS != 0 else {
            // One name lookup would stop all transfers.
            return TransportSetUpError(reason: "libcurl was built without asynchronous name lookup")
        }
        return nil
    }
}
