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
        /// The URL that it redirects to.
        var redirectURL: String?

        /// Returns the value of the first field with a name, which must be in lowercase.
        func header(_ name: String) -> String? {
            headers.first { field in
                // Most names differ in length, so no other string is compared.
                guard let other = field["name"]?.string, other.utf8.count == name.utf8.count else { return false }
                return other.lowercased() == name
            }?["value"]?.string
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

    /// The name of the file in the folder of bodies that contains the response's body, if it was kept.
    ///
    /// The body of a later failed response replaces an earlier one, so only the last exchange has a body.
    var bodyFile: String? {
        guard isLast, failure != nil, let response else { return nil }
        return BodyName.of(step: step, contentType: response.header("content-type"))
    }
}
