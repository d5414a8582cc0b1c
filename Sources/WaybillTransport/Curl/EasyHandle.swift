import CLibCurl

/// One of libcurl's easy handles, kept for one transfer after the other. Lives on the engine's thread.
final class EasyHandle {
    /// libcurl's handle.
    let pointer: UnsafeMutableRawPointer
    /// The transfer that the handle is used for.
    private(set) var transfer: Transfer?

    // libcurl keeps pointers to both until the handle is reset.
    private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    /// Makes a handle; nil without memory.
    init?() {
        guard let pointer = curl_easy_init() else {
            errorText.deallocate()
            return nil
        }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
        for list in lists { curl_slist_free_all(list) }
        errorText.deallocate()
    }

    /// What libcurl said about the error; empty without words.
    var message: String {
        errorText[0] == 0 ? "" : String(cString: errorText.baseAddress!)
    }

    /// Takes a transfer up, with all of its options. Says which code stands in the way, if one does.
    func prepare(for transfer: Transfer) -> CURLcode {
        self.transfer = transfer
        errorText[0] = 0
        var options = EasyOptions(pointer)
        // The handle outlives every call with this pointer: the engine holds it while libcurl may use it.
        options.setCallbacks(owner: Unmanaged.passUnretained(self).toOpaque())
        options.set(CURLOPT_ERRORBUFFER, errorText.baseAddress!)
        options.setTransferRules()
        options.set(transfer.prepared)
        lists = options.lists
        return options.failure
    }

    /// Gives the transfer up and forgets its options. Must not be in use by a multi handle.
    func reset() {
        curl_easy_reset(pointer)
        for list in lists { curl_slist_free_all(list) }
        lists = []
        transfer = nil
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
