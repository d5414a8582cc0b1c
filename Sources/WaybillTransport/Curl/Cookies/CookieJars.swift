import CLibCurl
import WaybillFormats
import WaybillJSON

/// The jars of a transport, each in a separate share handle, and the handle for requests without cookies. Used only on
/// the engine's thread.
final class CookieJars {
    private let files: RequestFiles
    private var shares: [TransferOptions.Cookies: ShareHandle] = [:]
    // The lines of each jar that has a file, when the file was loaded or written.
    private var loaded: [CodePoints: [String]] = [:]
    // The jars whose files could not be written.
    private var failed: Set<CodePoints> = []

    /// Creates an empty collection of jars, which loads the contents of their files from `files`.
    init(files: RequestFiles) {
        self.files = files
    }

    /// Returns the share handle for a use of cookies. Throws if there is not enough memory.
    func share(for cookies: TransferOptions.Cookies) throws(TransportFailure) -> ShareHandle {
        if let share = shares[cookies] { return share }
        guard let share = ShareHandle(sharesCookies: cookies != .off) else { throw .outOfMemory }
        if case .jar(let path) = cookies {
            guard share.add(files.takeCookies(ofJar: path)) else { throw .outOfMemory }
            loaded[path] = share.lines
        }
        shares[cookies] = share
        return share
    }

    /// Adds the changes in a jar to its file, if it has one, so that a run that is killed keeps its cookies. New expiry
    /// times alone can wait: many servers send them with every response. If the file cannot be written, `save` tries again
    /// and reports it.
    func store(_ cookies: TransferOptions.Cookies) {
        guard case .jar(let path) = cookies, let share = shares[cookies], let before = loaded[path] else { return }
        let lines = share.lines
        guard CookieJarFile.valuesDiffer(lines, before), failed.insert(path).inserted,
            CookieJarFile(path: path.text).apply(from: before, to: lines) == nil
        else { return }
        failed.remove(path)
        loaded[path] = lines
    }

    /// Adds the changes in the jars that have files to them. Returns a message for each jar that could not be written.
    func save() -> [String] {
        shares.compactMap { cookies, share in
            guard case .jar(let path) = cookies else { return nil }
            return CookieJarFile(path: path.text).apply(from: loaded[path] ?? [], to: share.lines)
        }
    }
}

/// The data that several easy handles share in addition to the connections of their multi handle: TLS sessions to
/// resume, and optionally cookies. Used only on the engine's thread, so it needs no locks. Must outlive the handles
/// that use it.
final class ShareHandle {
    /// libcurl's handle.
    let pointer: UnsafeMutableRawPointer
    /// The maximum number of cookies in a jar (RFC 6265, section 6.1). libcurl itself has no limit, and the time for each
    /// request grows with the number of cookies.
    static let maximumCookies = 3000
    /// The maximum number of `Set-Cookie` fields in a response. libcurl ignores the others.
    static let maximumFields = 50
    /// The number of cookies when they were last counted.
    private var counted = 0
    /// The number of fields since then, each of which may have added a cookie.
    private var fields = 0
    /// The maximum number of cookies that there can be, and of their bytes.
    private var bound = (count: 0, bytes: 0)
    /// The cookies, if they are known.
    private var known: [JarCookie]?

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

    /// The cookies, as lines of a jar's file.
    var lines: [String] {
        guard let easy = curl_easy_init() else { return [] }
        defer { curl_easy_cleanup(easy) }
        waybill_easy_set_pointer(easy, CURLOPT_SHARE, pointer)
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

    /// Adds cookies, given as lines of a jar's file. Returns false if there is not enough memory.
    func add(_ lines: [String]) -> Bool {
        guard let easy = curl_easy_init() else { return false }
        defer { curl_easy_cleanup(easy) }
        waybill_easy_set_pointer(easy, CURLOPT_SHARE, pointer)
        // libcurl ignores a line that is not a cookie, as it does in files.
        for line in lines {
            waybill_easy_set_string(easy, CURLOPT_COOKIELIST, line)
            noteField(of: line.utf8.count)
        }
        return true
    }

    private func noteField(of size: Int) {
        bound.count += 1
        bound.bytes += size
        known = nil
    }

    /// Notes a `Set-Cookie` field. Returns false if the jar has more cookies than it may have.
    func noteCookie(_ line: UnsafeRawBufferPointer) -> Bool {
        noteField(of: line.count)
        fields += 1
        // Counting takes long, and most fields replace a cookie.
        guard fields > max(Self.maximumCookies - counted, 100) else { return true }
        (counted, fields) = (lines.count, 0)
        return counted <= Self.maximumCookies
    }

    /// Throws if libcurl would send only some of the cookies for a request.
    func checkCookies(for prepared: PreparedRequest) throws(TransportFailure) {
        guard bound.count > JarCookie.maximumSent || bound.bytes > JarCookie.maximumSentBytes else { return }
        let cookies = known ?? lines.compactMap(JarCookie.init)
        known = cookies
        bound = (cookies.count, cookies.reduce(0) { $0 + $1.size })
        let path = URIReference(prepared.url).path
        // libcurl takes the host from a field of the request.
        let field = prepared.request.headers.first { $0.isNamed("Host") }
        let host =
            field.map { (try? Origin(ofURL: "http://\($0.value)"))?.endpoint.host } ?? prepared.origin.endpoint.host
        let sent = cookies.filter { $0.isSent(to: prepared.origin, as: host, path) }
        let size = sent.reduce(0) { $0 + $1.size }
        guard sent.count > JarCookie.maximumSent || size > JarCookie.maximumSentBytes else { return }
        throw .refused(
            CURLE_BAD_FUNCTION_ARGUMENT,
            "the jar has \(sent.count) cookies for \(prepared.origin.destination), which take \(size) bytes; libcurl "
                + "sends at most \(JarCookie.maximumSent) and \(JarCookie.maximumSentBytes) bytes; 'cookies: false' sends none"
        )
    }

    /// Removes the cookie that libcurl makes of a `Set-Cookie` field without a name, or with an expiry date in a year that it
    /// misreads. RFC 6265, section 5.2, ignores the former, but libcurl 7.88 takes the name and the value of its first
    /// attribute, such as `Path=/`, and libcurl 8.14 an empty name. libcurl reads the year 70 as 2070, and dates before 1970
    /// as none.
    func removeCookie(misreadFrom line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let pairs = line[(colon + 1)...].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { pair in
                let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
                return (name: pair[..<end].withoutOuterBlanks, value: pair[end...].dropFirst().withoutOuterBlanks)
            }
        guard let first = pairs.first else { return }
        let isNamed = !first.name.isEmpty
        guard !isNamed || Self.expiresBeforeTime(pairs.dropFirst()) else { return }
        let misread = isNamed ? [first] : [first, pairs.first { !$0.name.isEmpty } ?? first]
        let expired = lines.compactMap { line -> String? in
            var columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard columns.count == 7,
                misread.contains(where: {
                    columns[5].utf8.elementsEqual($0.name) && columns[6].utf8.elementsEqual($0.value)
                })
            else { return nil }
            columns[4] = "1"
            return columns.joined(separator: "\t")
        }
        if !expired.isEmpty { _ = add(expired) }
    }

    /// Whether the attributes of a cookie have an expiry date in the years 1601 to 1970, also of two digits (RFC 6265, section
    /// 5.1.1: 70 to 99 are years of the last century), and no `Max-Age`, which has precedence.
    private static func expiresBeforeTime(
        _ attributes: ArraySlice<(name: Slice<UnsafeRawBufferPointer>, value: Slice<UnsafeRawBufferPointer>)>
    ) -> Bool {
        func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String { String(decoding: bytes, as: UTF8.self) }
        guard !attributes.contains(where: { text($0.name).lowercased() == "max-age" }),
            let date = attributes.last(where: { text($0.name).lowercased() == "expires" })?.value
        else { return false }
        // The time has colons, which are no delimiters; the first number is the day.
        let parts = date.split { !(0x30...0x3A).contains($0) && !($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) }.map(text)
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 2, parts.contains(where: { $0.utf8.contains(UInt8(ascii: ":")) }) else { return false }
        return numbers[1] == 70 || (1601...1970).contains(numbers[1])
    }
}
