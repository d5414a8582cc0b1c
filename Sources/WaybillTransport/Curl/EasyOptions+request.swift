import CLibCurl
import WaybillRuntime

extension EasyOptions {
    /// Sets the options that all transfers have in common.
    mutating func setTransferRules() {
        set(CURLOPT_NOSIGNAL, 1)
        // Without it, cancelling a transfer waits until its name lookup has ended.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_PATH_AS_IS, 1)
        if EasyHandle.checksHeadFirst { set(CURLOPT_HEADER, 1) }
    }

    /// Sets the options that every request sets, even on a handle that keeps the others: the URL, the header lines and
    /// the timeouts.
    mutating func setAddress(_ prepared: PreparedRequest) {
        let request = prepared.request
        set(CURLOPT_URL, prepared.url)
        // libcurl's clock does not stop while a transfer is paused; the engine's does.
        if prepared.purpose != .stream { set(CURLOPT_TIMEOUT_MS, request.remainingTime.curlMilliseconds) }
        set(CURLOPT_CONNECTTIMEOUT_MS, min(request.connectTimeout, request.remainingTime).curlMilliseconds)
        setList(CURLOPT_HTTPHEADER, prepared.headerLines)
    }

    /// Sets the other options of a request. A body that is not small is read through `owner`.
    mutating func setRequest(_ prepared: PreparedRequest, owner: UnsafeMutableRawPointer) {
        let request = prepared.request
        setVersion(of: prepared)
        if prepared.purpose == .stream {
            set(CURLOPT_BUFFERSIZE, 256 << 10)
            if let limit = request.options.stallTimeout {
                set(CURLOPT_LOW_SPEED_LIMIT, 1)
                set(CURLOPT_LOW_SPEED_TIME, max(1, Int(limit.components.seconds)))
            }
        }
        setMethod(of: prepared, owner: owner)
        if let cookies = prepared.cookies { set(CURLOPT_COOKIE, cookies) }
        // The empty name reads no file, but enables cookies: those of the share handle.
        if request.options.cookies != .off { set(CURLOPT_COOKIEFILE, "") }
        switch request.options.credentials {
        case .none: break
        case .digest(let username, let password):
            set(CURLOPT_HTTPAUTH, Int(bitPattern: CURLAUTH_DIGEST_BITS))
            set(CURLOPT_USERNAME, username)
            set(CURLOPT_PASSWORD, password)
        }
    }

    private mutating func setVersion(of prepared: PreparedRequest) {
        let version = prepared.request.options.version
        let isStream = prepared.purpose == .stream
        guard !prepared.choosesHTTP1 else { return set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
        // Where HTTP/2 is possible, wait for one connection rather than open several.
        if (version == .http2PriorKnowledge || prepared.origin.isSecure) && !isStream { set(CURLOPT_PIPEWAIT, 1) }
        switch version {
        case .http2PriorKnowledge:
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
            if isStream { set(CURLOPT_FRESH_CONNECT, 1) }
            // Before 8.0, the second request without TLS on a connection fails (curl's issue 10634).
            if !prepared.origin.isSecure && LibCurl.version < 0x080000 {
                set(CURLOPT_FRESH_CONNECT, 1)
                set(CURLOPT_FORBID_REUSE, 1)
            }
        case .http2:
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2_0))
        case .auto, .http1:
            // A libcurl without HTTP/2 rejects this and uses HTTP/1.1.
            _ = waybill_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        }
    }

    private mutating func setMethod(of prepared: PreparedRequest, owner: UnsafeMutableRawPointer) {
        let method = prepared.request.method
        if prepared.purpose == .connection {
            set(CURLOPT_CONNECT_ONLY, 1)
        } else if let body = prepared.body {
            set(CURLOPT_POST, 1)
            note(waybill_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            if let bytes = body.smallBytes {
                setPostFields(bytes)
            } else {
                setReader(owner: owner)
            }
            if method != "POST" { set(CURLOPT_CUSTOMREQUEST, method) }
        } else if method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if method != "GET" {
            set(CURLOPT_CUSTOMREQUEST, method)
        }
    }

    private mutating func setPostFields(_ body: [UInt8]) {
        body.withUnsafeBufferPointer { bytes in
            // An empty array may have no address, and libcurl treats a null pointer as "call the read function".
            note(
                bytes.withMemoryRebound(to: CChar.self) { chars in
                    if let start = chars.baseAddress, !chars.isEmpty {
                        return waybill_easy_set_string(easy, CURLOPT_COPYPOSTFIELDS, start)
                    }
                    return waybill_easy_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
                }
            )
        }
    }
}

/// `CURLAUTH_BASIC` and `CURLAUTH_DIGEST`, whose macros Swift does not import.
let CURLAUTH_BASIC_BITS: UInt = 1 << 0
private let CURLAUTH_DIGEST_BITS: UInt = 1 << 1

extension Duration {
    /// Milliseconds for libcurl: at least one, because zero means "no limit", and at most what its `int` can hold.
    var curlMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds >= 0 else { return 1 }
        guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
        return Int(max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }
}
