import CLibCurl

/// The library as a whole. It is loaded when it is first needed; see `CLibCurl` for why.
package enum LibCurl {
    /// Why the library cannot be used. Found out once in the process; whoever asks meanwhile waits, as `static let` is made.
    private static let problem = load()

    /// Its version, a byte for each number.
    static let version = waybill_version_info().pointee.version_num

    /// Makes the library ready for use. Throws when it cannot do what the transport builds on.
    static func setUp() throws(TransportSetUpError) {
        if let problem { throw problem }
    }

    /// Makes the library ready, for a caller on a thread that has nothing else to do: the transport need not wait for that
    /// later. While it goes on the process may end by `_exit` alone, since what OpenSSL does at an `exit` must not fall into
    /// the middle of its beginning.
    package static func prepare() {
        _ = problem
    }

    /// The address of a function of a library that libcurl has brought along, so that nothing else needs to be installed
    /// for building; nil when none has it. The caller knows its type, from the library's manual.
    static func function(_ name: String) -> UnsafeMutableRawPointer? {
        waybill_loaded_function(name)
    }

    private static func load() -> TransportSetUpError? {
        if let reason = waybill_load_libcurl() { return TransportSetUpError(reason: String(cString: reason)) }
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard code == CURLE_OK else {
            return TransportSetUpError(reason: "libcurl: \(String(cString: curl_easy_strerror(code)))")
        }
        let version = waybill_version_info().pointee
        guard version.version_num >= 0x075800 else {
            return TransportSetUpError(reason: "libcurl is \(String(cString: version.version)); 7.88 is needed")
        }
        guard version.features & CURL_VERSION_ASYNCHDNS != 0 else {
            // One look-up would stop all transfers.
            return TransportSetUpError(reason: "libcurl was built without asynchronous look-up of names")
        }
        return nil
    }
}
