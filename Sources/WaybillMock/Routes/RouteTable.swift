import WaybillDiagnostics

/// Finds the route of a request.
struct RouteTable: Sendable {
    /// The result of looking up a request.
    enum Match: Equatable {
        /// This route matches.
        case route(Int)
        /// The path is known, but only with these methods.
        case otherMethods([String])
        /// The path is unknown; this route may have been meant.
        case none(nearest: Int?)
    }

    /// The routes in the order in which they were given.
    let routes: [MockRoute]

    private let hosts: [String?]
    private let knownHosts: Set<String>

    init(_ routes: [MockRoute]) {
        self.routes = routes
        hosts = routes.map { $0.host.map(RequestTarget.canonical) }
        knownHosts = Set(hosts.compactMap(\.self))
    }

    /// The most specific route for a request: one for its host before one for any host, then the one with the more
    /// specific path, then the one of whose query and body the request has more, then the earlier one. If no route has the host, the routes of all hosts are considered, because a
    /// client may use the server's own address.
    ///
    /// - Parameter body: The body, if `comparesBodies`.
    func match(method: String, _ target: RequestTarget, body: [UInt8] = []) -> Match {
        let content = RequestContent(target, body: body)
        let isHostKnown = knownHosts.contains(target.host)
        let units = PathUnits.of(target.path.utf8)
        let ofHost = routes.indices.filter { !isHostKnown || hosts[$0] == nil || hosts[$0] == target.host }
        let ofPath = ofHost.filter { routes[$0].path.matches(units) }
        guard !ofPath.isEmpty else { return .none(nearest: nearest(to: target.path, method, among: ofHost)) }

        for method in method == "HEAD" ? ["HEAD", "GET"] : [method] {
            let best = ofPath.filter { routes[$0].method == method }.min { isBetter($0, than: $1, for: content) }
            if let best { return .route(best) }
        }
        if let best = ofPath.filter({ routes[$0].method == nil }).min(by: { isBetter($0, than: $1, for: content) }) {
            return .route(best)
        }
        let methods = Set(ofPath.compactMap { routes[$0].method })
        return .otherMethods(methods.union(methods.contains("GET") ? ["HEAD"] : []).sorted())
    }

    /// Whether a route is one for requests with a certain body.
    var comparesBodies: Bool { routes.contains { $0.body != nil } }

    private func isBetter(_ left: Int, than right: Int, for content: RequestContent) -> Bool {
        if (hosts[left] == nil) != (hosts[right] == nil) { return hosts[left] != nil }
        if routes[left].path.isCloser(than: routes[right].path) { return true }
        if routes[right].path.isCloser(than: routes[left].path) { return false }
        let (first, second) = (routes[left].closeness(to: content), routes[right].closeness(to: content))
        return first == second ? left < right : first > second
    }

    /// The route whose path equals the request's except for typing errors, with wildcards replaced by what the request
    /// has.
    private func nearest(to path: String, _ method: String, among candidates: [Int]) -> Int? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        var byPath: [String: Int] = [:]
        for candidate in candidates {
            var pattern = routes[candidate].path.description.split(separator: "/", omittingEmptySubsequences: false)
            for index in pattern.indices where pattern[index].contains("{") && index < segments.count {
                pattern[index] = segments[index]
            }
            let filled = pattern.joined(separator: "/")
            if byPath[filled] == nil || routes[candidate].method == method { byPath[filled] = candidate }
        }
        return NearestName.of(path, among: byPath.keys.sorted()).flatMap { byPath[$0] }
    }
}
