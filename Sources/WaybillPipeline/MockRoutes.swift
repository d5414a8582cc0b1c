import WaybillContract
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
package import WaybillMock
package import WaybillPlan

/// The routes of the mock server: the `mock:` examples of endpoints and of inline requests.
package struct MockRoutes: Sendable {
    /// The routes.
    package private(set) var routes: [MockRoute] = []
    /// What the examples of several requests have in common that are used one after another, because the server cannot tell them apart:
    /// `GET /orders/7`.
    package private(set) var ambiguous: [String] = []
    /// The number of the route of each request.
    private(set) var numbers: [ObjectIdentifier: Int] = [:]

    /// The routes for the requests of a run, which say whose examples they want: one for each endpoint, whose examples
    /// all its calls share, and one for each inline request.
    init(ofRun requests: some Sequence<RequestPlan>) {
        var known: [SourceSpan: Int] = [:]
        for request in requests where request.hasMock {
            let number = known[request.address.text.span] ?? routes.count
            known[request.address.text.span] = number
            if number == routes.count { routes.append(MockRoute(of: request, at: Address(of: request), isOfRun: true)) }
            numbers[ObjectIdentifier(request)] = number
        }
    }

    /// The routes for any client: one for each method, address, constant query and constant body. The examples of
    /// several requests that have these in common follow each other.
    package init(ofManifest requests: some Sequence<RequestPlan>) {
        var indices: [Address: [Int]] = [:]
        var known: Set<[AnyHashable]> = []
        for request in requests where request.hasMock {
            let address = Address(of: request)
            // The calls of an endpoint, and the requests of a graph that several steps run, have the same examples.
            if !known.insert([request.address.text.span, address]).inserted { continue }
            let route = MockRoute(of: request, at: address)
            let equal = indices[address]?.first {
                Set(routes[$0].query) == Set(route.query) && routes[$0].body == route.body
            }
            guard let index = equal else {
                indices[address, default: []].append(routes.count)
                routes.append(route)
                continue
            }
            // An operation has the same example for each of its calls.
            if request.mock.isEmpty, routes[index].refusals != nil { continue }
            routes[index].responses += route.responses
            let name = "\(route.method ?? "any method") \(address.path)"
            if !ambiguous.contains(name) { ambiguous.append(name) }
        }
    }

    /// The address of a request, as far as it is known before evaluation; `${…}` is kept as is.
    fileprivate struct Address: Hashable {
        var method: String?
        var host: String?
        var path: String

        init(of request: RequestPlan) {
            method = request.constantMethod
            // The parameters of an operation are written '{id}'.
            let text = request.address.text.value.written
            let written = request.operation == nil ? text : text.replacing("{", with: "${")
            var whole = written
            // A computed address is treated as a path, because a computed URL could be any.
            if !request.address.isURL {
                var base = request.settings.baseURL?.value.written ?? ""
                while base.last == "/" { base.removeLast() }
                if let version = request.settings.version?.value.written, !version.isEmpty {
                    base += "/" + version
                }
                whole = base + (written.hasPrefix("/") || written.isEmpty ? written : "/" + written)
            }
            let address = URIReference(whole)
            // An origin that is a template matches any host; the path starts after it.
            let rest = address.path.hasPrefix("${") ? address.path.drop { $0 != "}" }.dropFirst() : address.path[...]
            path = rest.isEmpty ? "/" : String(rest)
            host = address.authority.flatMap { $0.contains("$") ? nil : $0.lowercased() }
        }
    }
}

extension RequestPlan {
    /// Whether the mock server can respond to the request.
    fileprivate var hasMock: Bool { !mock.isEmpty || operation != nil }

    /// Returns the responses of the mock server.
    ///
    /// - Parameter isOfRun: Whether they are for the step that sends the request, which may expect a certain status.
    fileprivate func mockExamples(isOfRun: Bool) -> [MockExample] {
        guard mock.isEmpty, let operation else { return mock }
        let expected = isOfRun ? settings.expectedStatus?.value.constants ?? [] : []
        return [operation.mockExample(expecting: expected)]
    }
}

extension MockRoute {
    fileprivate init(of request: RequestPlan, at address: MockRoutes.Address, isOfRun: Bool = false) {
        self.init(
            method: address.method,
            host: address.host,
            path: PathPattern(
                template: address.path,
                writtenAs: request.operation == nil ? nil : address.path.replacing("${", with: "{")
            ),
            query: Self.query(of: request),
            body: request.settings.body?.value.constantContent,
            responses: request.mockExamples(isOfRun: isOfRun).map(Self.response)
        )
        guard let operation = request.operation?.operation, request.mock.isEmpty,
            !isOfRun || request.settings.contractSeverity(of: .request) == .error
        else { return }
        refusals = { request in
            operation.violations(
                of: ReceivedRequest(
                    path: request.path,
                    query: request.query,
                    headers: request.headers.map { ($0.name, $0.value) },
                    body: request.body
                )
            )
        }
    }

    /// The parameters that every request of the step has in its query.
    private static func query(of request: RequestPlan) -> [MockField] {
        let written = request.address.text.value.constantText.map { URIReference($0).query } ?? nil
        return MockField.parameters(of: written)
            + request.settings.query.flatMap { parameter in
                (parameter.value.texts ?? []).compactMap { text in
                    text.constantText.map { MockField(parameter.value.name.value, $0) }
                }
            }
    }

    private static func response(_ example: MockExample) -> MockResponse {
        var headers = example.headers.map { MockField($0.name, $0.value) }
        var body: [UInt8] = []
        switch example.body {
        case nil: break
        case .string(let text): body = Array(text.utf8)
        case let value?: body = Array(JSONWriter().string(value).utf8)
        }
        if !body.isEmpty, !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            let isText = example.body?.kind == .string
            headers.append(.init("Content-Type", isText ? "text/plain; charset=utf-8" : "application/json"))
        }
        return MockResponse(status: example.status, headers: headers, body: body, delay: example.delay)
    }
}

extension WaybillManifest.Address {
    fileprivate var isURL: Bool {
        if case .url = self { true } else { false }
    }
}
