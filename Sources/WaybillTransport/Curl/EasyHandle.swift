import CLibCurl

/// A libcurl easy handle, reused for one transfer after another if `mayBeKept` is true. Used only on the engine's
/// thread.
final class EasyHandle {
    /// Whether a handle may be reused for another transfer. Before version 8.3, libcurl keeps a dangling pointer to the
    /// last header field of the previous response and appends a folded line to it if the next response's header starts
    /// with one (https://github.com/curl/curl/pull/11103, https://github.com/curl/curl/issues/11620): any server could
    /// crash the program.
    static let mayBeKept = LibCurl.version >= 0x080300 || checksHeadFirst

    /// Whether the transfer receives each line of a header before libcurl reads it (`CURLOPT_HEADER`), and so can
    /// refuse the one that libcurl must not read. Version 7.88 passes lines in this order; others have not been tried.
    /// Keeping the handles saves 7 % of the processor time of a large `forEach` (20,000 of 282,000 instructions per
    /// request).
    static let checksHeadFirst = LibCurl.version & 0xFFFF00 == 0x075800

    /// Whether libcurl passes bytes to `Transfer.observe` before it decodes them. Versions 7.88 and 8.14 do; those between
    /// them have not been tried.
    private static let isObservable = checksHeadFirst || LibCurl.version >= 0x080e00

    /// libcurl's handle.
    let pointer: UnsafeMutableRawPointer
    /// The current transfer of the handle.
    private(set) var transfer: Transfer?

    // libcurl keeps pointers to these until the handle is reset.
    private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    // Survives a reset, and must outlive the handle.
    private var share: ShareHandle?
    private var isShareAttached = false
    // The request whose options have been set since the last reset.
    private var current: (prepared: PreparedRequest, wantsProgress: Bool)?
    private var isObserved = false
    // Whether the next transfer may reuse the options.
    private var keepsOptions = true

    /// Creates a handle; nil if there is not enough memory.
    init?() {
        guard let pointer = curl_easy_init() else {
            errorText.deallocate()
            return nil
        }
        self.pointer = pointer
    }

    deinit {
        // This comes first, because the handle uses the share handle, the lists and the buffer.
        curl_easy_cleanup(pointer)
        for list in lists { curl_slist_free_all(list) }
        errorText.deallocate()
    }

    /// libcurl's description of the error; empty if there is none.
    var message: String {
        errorText[0] == 0 ? "" : String(cString: errorText.baseAddress!)
    }

    /// Sets all options for a transfer. Returns the code of the first option that failed, or `CURLE_OK`.
    func prepare(for transfer: Transfer, share: ShareHandle) -> CURLcode {
        let keepsOptions = hasOptions(of: transfer)
        if !keepsOptions { reset() }
        self.transfer = transfer
        errorText[0] = 0
        var options = EasyOptions(pointer)
        options.setAddress(transfer.prepared)
        if !keepsOptions { setRest(of: transfer, share: share, &options) }
        for list in lists { curl_slist_free_all(list) }
        lists = options.lists
        current = (transfer.prepared, transfer.wantsProgress)
        return options.failure
    }

    private func hasOptions(of transfer: Transfer) -> Bool {
        guard let current else { return false }
        return current.wantsProgress == transfer.wantsProgress && transfer.prepared.hasOptions(of: current.prepared)
    }

    private func setRest(of transfer: Transfer, share: ShareHandle, _ options: inout EasyOptions) {
        // The handle outlives every call with this pointer: the engine holds it while libcurl may use it.
        let owner = Unmanaged.passUnretained(self).toOpaque()
        options.setCallbacks(owner: owner)
        options.set(CURLOPT_ERRORBUFFER, errorText.baseAddress!)
        options.setTransferRules()
        options.setRequest(transfer.prepared, owner: owner)
        options.setRoute(transfer.prepared)
        if transfer.wantsProgress || transfer.prepared.origin.isSecure { options.setProgress(owner: owner) }
        if self.share !== share || !isShareAttached {
            options.set(CURLOPT_SHARE, share.pointer)
            self.share = share
            isShareAttached = true
        }
    }

    /// Notes a `Set-Cookie` field. Returns false if the jar has more cookies than it may have.
    func noteCookie(_ line: UnsafeRawBufferPointer) -> Bool { share?.noteCookie(line) ?? true }

    /// Removes the cookie that libcurl has made of a `Set-Cookie` field without a name.
    func removeCookie(misreadFrom line: UnsafeRawBufferPointer) {
        share?.removeCookie(misreadFrom: line)
    }

    /// Removes libcurl's own timeout from the transfer in flight.
    func forgetTimeout() {
        waybill_easy_set_long(pointer, CURLOPT_TIMEOUT_MS, 0)
    }

    /// Changes libcurl's own timeout for a transfer that has not started.
    func limitTime(to duration: Duration) {
        waybill_easy_set_long(pointer, CURLOPT_TIMEOUT_MS, duration.curlMilliseconds)
    }

    /// Prevents libcurl from reusing a connection for the transfer.
    func requireNewConnection() {
        waybill_easy_set_long(pointer, CURLOPT_FRESH_CONNECT, 1)
        keepsOptions = false
    }

    /// Makes libcurl close the connection after the transfer.
    func closeConnection() {
        waybill_easy_set_long(pointer, CURLOPT_FORBID_REUSE, 1)
        keepsOptions = false
    }

    /// Sets whether the transfer observes what libcurl reads before libcurl decodes it, and libcurl's notes.
    func setObserved(_ isObserved: Bool) {
        guard Self.isObservable, isObserved != self.isObserved else { return }
        self.isObserved = isObserved
        waybill_easy_set_long(pointer, CURLOPT_VERBOSE, isObserved ? 1 : 0)
    }

    /// Pauses or resumes both directions. Must not be called in a callback.
    func pause(sending: Bool, receiving: Bool) {
        let mask = (sending ? CURLPAUSE_SEND : 0) | (receiving ? CURLPAUSE_RECV : 0)
        curl_easy_pause(pointer, mask)
    }

    /// Resets the handle for another transfer. A multi handle must not be using it.
    ///
    /// - Parameter hasResponse: Whether the transfer succeeded. If so, a similar transfer can reuse most of its
    ///   options, which is faster.
    func release(hasResponse: Bool) {
        transfer = nil
        setObserved(false)
        // An idle handle must not retain a body.
        if !hasResponse || !keepsOptions || current?.prepared.isPlain != true { reset() }
    }

    /// Resets all options.
    private func reset() {
        guard let current else { return }
        if current.prepared.request.options.cookies != .off {
            // The reset leaks the list of cookie files. This call frees it, and also detaches the shared cookies from
            // the handle.
            waybill_easy_set_string(pointer, CURLOPT_COOKIEFILE, nil)
            isShareAttached = false
        }
        curl_easy_reset(pointer)
        for list in lists { curl_slist_free_all(list) }
        lists = []
        self.current = nil
        keepsOptions = true
    }

    /// The handle for the pointer that was passed to libcurl.
    static func from(_ owner: UnsafeMutableRawPointer?) -> EasyHandle? {
        owner.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The handle that owns one of libcurl's easy handles.
    static func owner(of pointer: UnsafeMutableRawPointer) -> EasyHandle? {
        var owner: UnsafeMutableRawPointer?
        waybill_easy_get_pointer(pointer, CURLINFO_PRIVATE, &owner)
        return from(owner)
    }
}
