import CLibCurl
import WaybillPlatform

/// The global state of libcurl.
enum LibCurl {
    /// Why the library cannot be used, determined once per process; nil if it can.
    private static let problem = initialize()

    /// The version, with one byte for each number.
    static let version = waybill_version_info().pointee.version_num

    /// The name and the version of the TLS library, such as `OpenSSL/3.5.9`; nil if there is none.
    static let tlsVersion = waybill_version_info().pointee.ssl_version.map { String(cString: $0) }

    /// Whether it was built with TLS-SRP.
    static let supportsSRP = waybill_version_info().pointee.features & CURL_VERSION_TLSAUTH_SRP != 0

    /// Initialises libcurl. Throws if it does not support what the transport requires.
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
            return TransportSetUpError(reason: "libcurl 7.88 is required, found \(String(cString: version.version))")
        }
        guard version.features & CURL_VERSION_ASYNCHDNS != 0 else {
            // A single name lookup would block all transfers.
            return TransportSetUpError(reason: "libcurl was built without asynchronous name lookup")
        }
        // Before version 8, libcurl treats any end of an HTTP/2 stream without an error as the end of the body, also that
        // by RST_STREAM, or by a connection whose server violates the protocol (https://github.com/curl/curl/pull/10693).
        // It also misses the end of a response that does not wait for the body of its request, or loses a part of it.
        if version.version_num < 0x080000 {
            waybill_observe_streams(waybill_libcurl_address()) { easy, bytes, count in
                let arrived = UnsafeBufferPointer(start: bytes, count: count)
                easy.flatMap(EasyHandle.owner)?.transfer?.noteArrival(of: arrived, endsStream: bytes == nil)
            }
        }
        return nil
    }

    /// Whether transfers learn that the server has ended their HTTP/2 stream. Only then is it certain that a body without
    /// `Content-Length` is complete.
    static var observesStreams: Bool { waybill_observes_streams() }
}
