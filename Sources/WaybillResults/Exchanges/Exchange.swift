import WaybillFormats
import WaybillJSON

/// A request and its response as recorded in the journal: one attempt, or one redirect of it.
struct Exchange: Sendable {
    /// The response of an exchange.
    struct Response: Sendable {
        var status: Int
        /// The HTTP version, such as `1.1`, if known.
        var httpVersion: String?
        /// The header fields, each `{name, value}`.
        var headers: [JSON] = []
        /// The body, if bodies were reported.
        var body: BodyExcerpt?
        /// The URL that it redirects to.
        var redirectURL: String?

        /// Returns the value of the first field with a name, which must be in lowercase.
        func header(_ name: String) -> String? {
            Exchange.value(name, in: headers)
        }
    }

    /// The path of the step, with the index of its element: `main.each[3]`.
    var step: String
    /// The number of the attempt, from 1.
    var attempt: Int
    /// When the request was about to be sent.
    var startedAt: Timestamp
    var method: String
    var url: String
    /// The header fields, each `{name, value}`.
    var headers: [JSON]
    /// The size of the request's body in bytes, if known.
    var bodyBytes: Int?
    /// The body of the request, if there is one and bodies were reported.
    var body: BodyExcerpt?
    /// The number of the page that the response is, with `paginate`.
    var page: Int?
    /// The response; `nil` if none was received or recorded.
    var response: Response?
    /// How long it took.
    var time: PhaseTimes?
    /// The duration of the redirects before this request, which the time of the last response includes.
    var earlierTime = Duration.zero
    /// How the cache was used.
    var cache: CacheUse?
    /// Why it failed.
    var failure: String?
    /// Whether this is the last exchange of its step or element.
    var isLast = false

    /// The names of the files in the folder of bodies that may contain the body of the response, or of the request.
    ///
    /// A later body of the step or of its page replaces an earlier one.
    func bodyFiles(ofRequest: Bool = false) -> [String] {
        let type = ofRequest ? Self.value("content-type", in: headers) : response?.header("content-type")
        let pages = (isLast ? [nil] : []) + (page.map { [$0] } ?? [])
        return ofRequest || response != nil
            ? pages.map { BodyName.of(step: step, page: $0, ofRequest: ofRequest, contentType: type) } : []
    }

    /// Returns the value of the first of some fields with a name, which must be in lowercase.
    static func value(_ name: String, in headers: [JSON]) -> String? {
        headers.first { field in
            // Most names differ in length, so no other string is compared.
            guard let other = field["name"]?.string, other.utf8.count == name.utf8.count else { return false }
            return other.lowercased() == name
        }?["value"]?.string
    }
}
