import CLibCurl

/// One of libcurl's easy handles, kept for one transfer after the other where `mayBeKept`. Used only on the engine's
/// thread.
final class EasyHandle {
    /// Whether a handle may be used for another transfer. Before version 8.3, libcurl keeps a pointer to the last field of
    /// the response before, which is freed, and appends a folded line to it if the next response's header starts with one
    /// (https://github.com/curl/curl/pull/11103, https://github.com/curl/curl/issues/11620): any server could crash the
    /// program.
    static let mayBeKept = LibCurl.version >= 0x080300 || checksHeadFirst

    /// Whether the transfer receives each line of a header before libcurl reads it (`CURLOPT_HEADER`), and so can refuse the
    /// one that libcurl must not read. Version 7.88 passes lines in this order; others have not been tried. To keep the
    /// handles saves 7 % of the processor time of a large `forEach` (20,000 of 282,000 instructions a request).
    static let checksHeadFirst = LibCurl.version & 0xFFFF00 == 0x075800

    /// libcurl's handle.
    let pointer: UnsafeMutableRawPointer
    /// The transfer that the handle is used for.
    private(set) var transfer: Transfer?

    // libcurl keeps pointers to these until the handle is reset.
    private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    // Survives a reset, and must outlive the handle.
    private var share: ShareHandle?
    private var isShareAttached = false
    // What the handle has been told since it was reset.
    private var told: (prepared: PreparedRequest, wantsProgress: Bool)?
    // Whether the next transfer may have the same options.
    private var keepsOptions = true

    /// Makes a handle; nil without memory.
    init?() {
        guard let pointer = curl_easy_init() else {
            errorText.deallocate()
            return nil
        }
        self.pointer = pointer
    }

    deinit {
        // Before the share handle, the lists and the buffer, which are kept until here.
        curl_easy_cleanup(pointer)
        for list in lists { curl_slist_free_all(list) }
        errorText.deallocate()
    }

    /// What libcurl said about the error; empty without words.
    var message: String {
        errorText[0] == 0 ? "" : String(cString: errorText.baseAddress!)
    }

    /// Takes a transfer up, with all of its options. Says which code stands in the way, if one does.
    func prepare(for transfer: Transfer, share: ShareHandle) -> CURLcode {
        let isTold = isTold(asWellAs: transfer)
        if !isTold { reset() }
        self.transfer = transfer
        errorText[0] = 0
        var options = EasyOptions(pointer)
        options.setAddress(transfer.prepared)
        if !isTold { setRest(of: transfer, share: share, &options) }
        for list in lists { curl_slist_free_all(list) }
        lists = options.lists
        told = (transfer.prepared, transfer.wantsProgress)
        return options.failure
    }

    private func isTold(asWellAs transfer: Transfer) -> Bool {
        guard let told else { return false }
        return told.wantsProgress == transfer.wantsProgress && transfer.prepared.isTold(asWellAs: told.prepared)
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

    /// Takes libcurl's own limit of time away from the transfer under way.
    func forgetTimeout() {
        waybill_easy_set_long(pointer, CURLOPT_TIMEOUT_MS, 0)
    }

    /// Changes libcurl's own limit of time for a transfer that has not begun.
    func limitTime(to duration: Duration) {
        waybill_easy_set_long(pointer, CURLOPT_TIMEOUT_MS, duration.curlMilliseconds)
    }

    /// Prevents libcurl from using a kept connection for the transfer.
    func requireNewConnection() {
        waybill_easy_set_long(pointer, CURLOPT_FRESH_CONNECT, 1)
        keepsOptions = false
    }

    /// Pauses or resumes both directions. Must not be called in a callback.
    func pause(sending: Bool, receiving: Bool) {
        let mask = (sending ? CURLPAUSE_SEND : 0) | (receiving ? CURLPAUSE_RECV : 0)
        curl_easy_pause(pointer, mask)
    }

    /// Resets the handle for another transfer. A multi handle must not be using it.
    ///
    /// - Parameter hasResponse: Whether the transfer succeeded. A similar transfer can reuse most of its options then, which is
    ///   faster.
    func release(hasResponse: Bool) {
        transfer = nil
        // A handle at rest must not hold on to a body.
        if !hasResponse || !keepsOptions || told?.prepared.isPlain != true { reset() }
    }

    /// Forgets all options.
    private func reset() {
        guard let told else { return }
        if told.prepared.request.options.cookies != .off {
            // The reset forgets the list of files without giving its memory back. This does, and takes the shared cookies
            // away from the handle besides.
            waybill_easy_set_string(pointer, CURLOPT_COOKIEFILE, nil)
            isShareAttached = false
        }
        curl_easy_reset(pointer)
        for list in lists { curl_slist_free_all(list) }
        lists = []
        self.told = nil
        keepsOptions = true
    }

    /// The handle behind the pointer that libcurl was given.
    static func from(_ owner: UnsafeMutableRawPointer?) -> EasyHandle? {
        owner.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The handle that belongs to one of libcurl's.
    static func owner(of pointer: UnsafeMutableRawPointer) -> EasyHandle? {
        var owner: UnsafeMutableRawPointer?
        waybill_easy_get_pointer(pointer, CURLINFO_PRIVATE, &owner)
        return from(owner)
    }
}
