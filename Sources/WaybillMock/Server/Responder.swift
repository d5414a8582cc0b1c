import Synchronization
import WaybillFormats
import WaybillJSON

/// Chooses the response to a request.
final class Responder: Sendable {
    /// A response and the route that it belongs to.
    struct Response: Sendable {
        var content: MockResponse
        var route: MockRoute?
    }

    private let table: RouteTable
    /// Whether the response depends on the body of a request.
    let comparesBodies: Bool
    /// Whether the response depends on the header fields of a request.
    let checksRequests: Bool
    /// The number of responses that each route has sent.
    private let given: Mutex<[Int]>

    init(_ routes: [MockRoute]) {
        table = RouteTable(routes)
        checksRequests = routes.contains { $0.refusals != nil }
        comparesBodies = table.comparesBodies || checksRequests
        given = Mutex(Array(repeating: 0, count: routes.count))
    }

    /// Returns the response to a request.
    ///
    /// - Parameters:
    ///   - headers: The header fields, if `checksRequests`.
    ///   - body: The body, if `comparesBodies`; nil if it is too large for that.
    ///   - example: The number of the route, if the client knows it.
    func response(
        method: String,
        _ target: RequestTarget,
        headers: [MockField] = [],
        body: [UInt8]? = [],
        example: Int? = nil
    ) -> Response {
        let known = example.flatMap { table.routes.indices.contains($0) ? RouteTable.Match.route($0) : nil }
        switch known ?? table.match(method: method, target, body: body ?? []) {
        case .route(let index):
            let route = table.routes[index]
            let request = MockRequest(path: target.path, query: target.query, headers: headers, body: body)
            if let reasons = route.refusals?(request), !reasons.isEmpty {
                let message = "\(method) \(route.path): the request differs from its contract"
                return Response(content: .problem(400, message, reasons: reasons), route: route)
            }
            guard let example = nextResponse(of: index) else {
                let message = "\(method) \(route.path) has no mock example"
                return Response(content: .problem(404, message), route: nil)
            }
            guard let problem = example.problem else { return Response(content: example, route: route) }
            let message = "the mock example of \(method) \(route.path) cannot be sent: \(problem)"
            return Response(content: .problem(500, message), route: route)
        case .otherMethods(let methods):
            let allowed = methods.joined(separator: ", ")
            var refusal = MockResponse.problem(405, "no mock example for \(method) \(target.path), only for \(allowed)")
            refusal.headers.append(MockField("Allow", allowed))
            return Response(content: refusal, route: nil)
        case .none(let nearest):
            let onHost = target.host.isEmpty ? "" : " on host \(target.host)"
            let message = "no mock example for \(method) \(target.path)\(onHost)"
            let meant = nearest.map { "\(table.routes[$0].method ?? method) \(table.routes[$0].path)" }
            return Response(content: .problem(404, message, nearest: meant), route: nil)
        }
    }

    private func nextResponse(of index: Int) -> MockResponse? {
        let responses = table.routes[index].responses
        guard !responses.isEmpty else { return nil }
        let turn = given.withLock { given in
            defer { given[index] = min(given[index] + 1, responses.count - 1) }
            return given[index]
        }
        return responses[turn]
    }
}

extension MockResponse {
    /// Why HTTP does not allow the response (RFC 9110, sections 5.1, 5.5 and 15); `nil` if it does.
    fileprivate var problem: String? {
        if !(200...599).contains(status) { return "its status is \(status)" }
        for header in headers {
            if !header.name.isToken || !header.value.isFieldValue {
                return "its header '\(header.name)' contains characters that are not allowed"
            }
        }
        return nil
    }

    /// A response of the mock server itself that explains why there is no example.
    static func problem(
        _ status: Int,
        _ message: String,
        nearest: String? = nil,
        reasons: [String] = []
    ) -> MockResponse {
        var object: JSONObject = JSONObject()
        object["error"] = .string(message)
        object["nearest"] = nearest.map(JSON.string)
        if !reasons.isEmpty { object["reasons"] = .array(reasons.map(JSON.string)) }
        var body: [UInt8] = []
        JSONWriter().write(.object(object), to: &body)
        return MockResponse(status: status, headers: [MockField("Content-Type", "application/json")], body: body)
    }
}
