import CLibCurl

/// Sets the options of an easy handle, and remembers the first one that was refused.
struct EasyOptions {
    /// `CURLE_OK`, or why the first refused option was refused.
    private(set) var failure = CURLE_OK
    /// The lists that libcurl reads during the transfer; to be freed after it.
    private(set) var lists: [UnsafeMutablePointer<curl_slist>] = []

    private let easy: UnsafeMutableRawPointer

    /// Options for a handle that was just made or reset.
    init(_ easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    /// Sets a pointer.
    mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
        note(waybill_easy_set_pointer(easy, option, value))
    }

    /// What libcurl calls, and with which pointer.
    mutating func setCallbacks(owner: UnsafeMutableRawPointer) {
        set(CURLOPT_PRIVATE, owner)
        set(CURLOPT_WRITEDATA, owner)
        set(CURLOPT_HEADERDATA, owner)
        set(CURLOPT_PREREQDATA, owner)
        note(
            waybill_easy_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return EasyHandle.from(owner)?.transfer?.receiveBody(bytes) == true ? bytes.count : -1 as Int
            }
        )
        note(
            waybill_easy_set_receiver(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, owner in
                let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return EasyHandle.from(owner)?.transfer?.receiveHeaderLine(line) == true ? line.count : -1 as Int
            }
        )
        note(
            waybill_easy_set_before_request(easy) { owner, _, _, _, _ in
                EasyHandle.from(owner)?.transfer?.mayBeSent() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }
        )
    }

    /// What holds for every transfer.
    mutating func setTransferRules() {
        set(CURLOPT_NOSIGNAL, 1)
        // Without it, giving up a transfer waits until the look-up of its name has ended.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        // Otherwise the environment's proxies would be used.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_PATH_AS_IS, 1)
        // A libcurl without HTTP/2 refuses it, and stays with HTTP/1.1.
        _ = waybill_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    }

    /// What one request asks for.
    mutating func set(_ prepared: PreparedRequest) {
        let request = prepared.request
        set(CURLOPT_URL, request.url)
        set(CURLOPT_TIMEOUT_MS, request.timeout.curlMilliseconds)
        set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.curlMilliseconds)
        setMethod(of: prepared)
        setList(CURLOPT_HTTPHEADER, prepared.headerLines)
        if request.acceptsCompression {
            // All that this libcurl can decode.
            set(CURLOPT_ACCEPT_ENCODING, "")
        }
        if let connectTo = prepared.origin.connectTo {
            setList(CURLOPT_CONNECT_TO, ["::\(connectTo)"])
        }
    }

    private mutating func setMethod(of prepared: PreparedRequest) {
        let method = prepared.request.method
        if let body = prepared.body {
            set(CURLOPT_POST, 1)
            note(waybill_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            body.withUnsafeBufferPointer { bytes in
                // An empty array may have no address, which libcurl would take as "read the body from standard input".
                note(
                    bytes.withMemoryRebound(to: CChar.self) { chars in
                        if let start = chars.baseAddress, !chars.isEmpty {
                            return waybill_easy_set_string(easy, CURLOPT_COPYPOSTFIELDS, start)
                        }
                        return waybill_easy_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
                    }
                )
            }
            if method != "POST" { set(CURLOPT_CUSTOMREQUEST, method) }
        } else if method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if method != "GET" {
            set(CURLOPT_CUSTOMREQUEST, method)
        }
    }

    private mutating func set(_ option: CURLoption, _ value: Int) {
        note(waybill_easy_set_long(easy, option, value))
    }

    private mutating func set(_ option: CURLoption, _ value: String) {
        note(waybill_easy_set_string(easy, option, value))
    }

    private mutating func setList(_ option: CURLoption, _ entries: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for entry in entries {
            guard let longer = curl_slist_append(list, entry) else {
                curl_slist_free_all(list)
                return note(CURLE_OUT_OF_MEMORY)
            }
            list = longer
        }
        guard let list else { return }
        lists.append(list)
        note(waybill_easy_set_list(easy, option, list))
    }

    private mutating func note(_ code: CURLcode) {
        if failure == CURLE_OK { failure = code }
    }
}

extension Duration {
    /// Milliseconds for libcurl: at least one, since zero means "no limit" to it, at most what its `int` can hold.
    fileprivate var curlMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds >= 0 else { return 1 }
        guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
        return Int(max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }
}
