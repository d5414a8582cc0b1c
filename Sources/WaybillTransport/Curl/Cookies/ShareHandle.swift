import CLibCurl

/// What several easy handles have in common besides the connections of their multi handle: TLS sessions to resume, and
/// maybe cookies. Lives on the engine's thread, so it needs no locks; must outlive the handles that use it.
final class ShareHandle {
    /// libcurl's handle.
    let pointer: UnsafeMutableRawPointer

    /// Makes a handle; nil without memory.
    init?(sharesCookies: Bool) {
        guard let pointer = curl_share_init() else { return nil }
        self.pointer = pointer
        guard waybill_share_set(pointer, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK,
            !sharesCookies || waybill_share_set(pointer, CURL_LOCK_DATA_COOKIE) == CURLSHE_OK
        else { return nil }
    }

    deinit {
        curl_share_cleanup(pointer)
    }
}
