/// The directives of a message's `Cache-Control` fields that a private cache obeys (RFC 9111, section 5.2; RFC 5861).
///
/// `s-maxage`, `proxy-revalidate` and `private` are for shared caches and change nothing here, except that `private`
/// allows a response to be stored. Directives with unknown names are ignored. All times are in seconds.
package struct CacheControl: Sendable, Equatable {
    /// `no-store`
    package private(set) var noStore = false
    /// `no-cache`, also where it names fields: a cache may validate more often than it has to.
    package private(set) var noCache = false
    /// `must-revalidate`
    package private(set) var mustRevalidate = false
    /// `must-understand`
    package private(set) var mustUnderstand = false
    /// `public` or `private`, which allow a private cache to store a response of any status.
    package private(set) var allowsStoring = false
    /// `only-if-cached`
    package private(set) var onlyIfCached = false
    /// `max-age`; a value that cannot be read is 0, and of several values the minimum counts (section 4.2.1).
    package private(set) var maxAge: Int?
    /// `max-stale`; `Int.max` where it has no value.
    package private(set) var maxStale: Int?
    /// `min-fresh`; `Int.max` where its value cannot be read.
    package private(set) var minFresh: Int?
    /// `stale-if-error`
    package private(set) var staleIfError: Int?

    /// The directives of a message's header fields. `Pragma: no-cache` counts only without `Cache-Control`, and only
    /// requests have it (section 5.4).
    package init(_ fields: some Sequence<HTTPField>, isRequest: Bool = false) {
        var isPresent = false
        var pragma = false
        for field in fields {
            if field.isNamed("Cache-Control") {
                isPresent = true
                for element in HTTPField.elements(of: field.value) { read(element) }
            } else if isRequest, field.isNamed("Pragma") {
                pragma = pragma || HTTPField.elements(of: field.value).contains { $0.name == "no-cache" }
            }
        }
        if pragma, !isPresent { noCache = true }
    }

    private mutating func read(_ directive: (name: String, value: String?)) {
        let seconds = directive.value.flatMap(Self.seconds)
        switch directive.name {
        case "no-store": noStore = true
        case "no-cache": noCache = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public", "private": allowsStoring = true
        case "only-if-cached": onlyIfCached = true
        case "max-age": maxAge = min(maxAge ?? .max, seconds ?? 0)
        case "max-stale": maxStale = directive.value == nil ? .max : seconds ?? maxStale
        case "min-fresh": minFresh = max(minFresh ?? 0, seconds ?? .max)
        case "stale-if-error": staleIfError = min(staleIfError ?? .max, seconds ?? 0)
        default: break
        }
    }

    /// Parses a number of seconds (section 1.2.2), at most 2^31; nil for anything else.
    static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Int(text) ?? .max, 1 << 31)
    }
}
