import WaybillFormats
import WaybillJSON

/// A request and its response as the journal has them: one attempt, or one hop of a redirect.
struct Exchange: Sendable {
    /// The response of an exchange.
    struct Response: Sendable {
        /// The status.
        var status: Int
        /// The HTTP version, such as `1.1`, where it is known.
        var httpVersion: String?
        /// The header fields, each `{name, value}`.
        var headers: [JSON] = []
        /// The URL that it redirects to.
        var redirectURL: String?

        /// The value of the first field with a name, which is in lower case.
        func header(_ name: String) -> String? {
            headers.first { field in
                // Most differ in length, and so need no other string.
                guard let other = field["name"]?.string, other.utf8.count == name.utf8.count else { return false }
                return other.lowercased() == name
            }?["value"]?.string
        }
    }

    /// The path of the step, with the number of its element: `main.each[3]`.
    var step: String
    /// Which try of the step it belongs to, from 1.
    var attempt: Int
    /// When the request was about to be sent.
    var startedAt: Timestamp
    /// The method.
    var method: String
    /// The URL.
    var url: String
    /// The header fields, each `{name, value}`.
    var headers: [JSON]
    /// The bytes of the request's body, where they are known.
    var bodyBytes: Int?
    /// The response; `nil` if none was received or recorded.
    var response: Response?
    /// How long it took.
    var time: PhaseTimes?
    /// How long the redirects before it took, which the time of the last response includes.
    var earlierTime = Duration.zero
    /// How the cache took part.
    var cache: CacheUse?
    /// Why it failed.
    var failure: String?
    /// Whether it is the last one of its step or element.
    var isLast = false

    /// The name of the file in the folder of bodies that has the response's body if that was kept.
    ///
    /// The body of a later failed response replaces that of an earlier one, so only the last exchange has one.
    var bodyFile: String? {
        guard isLast, failure != nil, let response else { return nil }
        return BodyName.of(step: step, contentType: response.header("content-type"))
    }
}
