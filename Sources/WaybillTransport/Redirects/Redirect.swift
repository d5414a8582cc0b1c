/// One hop of a redirect.
package struct Redirect: Sendable, Hashable {
    /// The status that told of it: 301, 302, 303, 307 or 308.
    package var status: Int
    /// The URL that was asked.
    package var from: String
    /// The URL that is asked next.
    package var to: String
    /// The method of the next request.
    package var method: String
    /// Whether the next request goes to another origin, and so without credentials.
    package var leavesOrigin: Bool
    /// The `Set-Cookie` fields of the response that led there.
    package var cookies: [String] = []
}
