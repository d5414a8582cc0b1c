import CLibCurl

/// Sets the options of an easy handle and records the first error.
struct EasyOptions {
    /// The code of the first option that failed, or `CURLE_OK`.
    private(set) var failure = CURLE_OK
    /// The lists that libcurl reads during the transfer; to be freed after it.
    private(set) var lists: [UnsafeMutablePointer<curl_slist>] = []

    /// libcurl's handle.
    let easy: UnsafeMutableRawPointer

    /// Creates options for a new or reset handle.
    init(_ easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    /// Sets a pointer.
    mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
        note(waybill_easy_set_pointer(easy, option, value))
    }

    /// Sets a number.
    mutating func set(_ option: CURLoption, _ value: Int) {
        note(waybill_easy_set_long(easy, option, value))
    }

    /// Sets a string, which libcurl copies.
    mutating func set(_ option: CURLoption, _ value: String) {
        // Passing the string to C directly would copy it first.
        note(value.withCString { waybill_easy_set_string(easy, option, $0) })
    }

    /// Sets a list; an empty one removes an earlier one.
    mutating func setList(_ option: CURLoption, _ entries: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for entry in entries {
            guard let longer = entry.withCString({ curl_slist_append(list, $0) }) else {
                curl_slist_free_all(list)
                return note(CURLE_OUT_OF_MEMORY)
            }
            list = longer
        }
        if let list { lists.append(list) }
        note(waybill_easy_set_list(easy, option, list))
    }

    /// Records the result of setting an option.
    mutating func note(_ code: CURLcode) {
        if failure == CURLE_OK { failure = code }
    }
}
