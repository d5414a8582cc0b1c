import CLibCurl
import WaybillJSON

/// The jars of a transport, each in a separate share handle, and the handle for requests without cookies. Used only on
/// the engine's thread.
final class CookieJars {
    private let files: RequestFiles
    private var shares: [TransferOptions.Cookies: ShareHandle] = [:]

    /// Creates an empty collection of jars, which loads the contents of their files from `files`.
    init(files: RequestFiles) {
        self.files = files
    }

    /// Returns the share handle for a use of cookies. Throws if there is not enough memory.
    func share(for cookies: TransferOptions.Cookies) throws(TransportFailure) -> ShareHandle {
        if let share = shares[cookies] { return share }
        guard let share = ShareHandle(sharesCookies: cookies != .off) else { throw .outOfMemory }
        if case .jar(let path) = cookies { try load(files.takeCookies(ofJar: path), into: share) }
        shares[cookies] = share
        return share
    }

    /// Writes the jars that have files. Returns a message for each jar that could not be written.
    func save() -> [String] {
        shares.compactMap { cookies, share in
            guard case .jar(let path) = cookies else { return nil }
            return CookieJarFile(path: path.text).write(Self.lines(of: share))
        }
    }

    private func load(_ lines: [String], into share: ShareHandle) throws(TransportFailure) {
        guard let easy = curl_easy_init() else { throw .outOfMemory }
        defer { curl_easy_cleanup(easy) }
        waybill_easy_set_pointer(easy, CURLOPT_SHARE, share.pointer)
        // libcurl ignores a line that is not a cookie, as it does in files.
        for line in lines { waybill_easy_set_string(easy, CURLOPT_COOKIELIST, line) }
    }

    private static func lines(of share: ShareHandle) -> [String] {
        guard let easy = curl_easy_init() else { return [] }
        defer { curl_easy_cleanup(easy) }
        waybill_easy_set_pointer(easy, CURLOPT_SHARE, share.pointer)
        var list: UnsafeMutablePointer<curl_slist>?
        waybill_easy_get_list(easy, CURLINFO_COOKIELIST, &list)
        defer { curl_slist_free_all(list) }
        var lines: [String] = []
        var entry = list
        while let current = entry {
            lines.append(String(cString: current.pointee.data))
            entry = current.pointee.next
        }
        return lines
    }
}

/// The data that several easy handles share in addition to the connections of their multi handle: TLS sessions to
/// resume, and optionally cookies. Used only on the engine's thread, so it needs no locks. Must outlive the handles
/// that use it.
final class ShareHandle {
    /// libcurl's handle.
    let pointer: UnsafeMutableRawPointer

    /// Creates a handle; nil if there is not enough memory.
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
