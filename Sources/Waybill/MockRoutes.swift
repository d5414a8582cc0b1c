import WaybillFormats
import WaybillJSON
import WaybillManifest
package import WaybillMock
package import WaybillPlan

/// The routes of the mock server: the `mock:` examples of endpoints and of inline requests.
package enum MockRoutes {
    /// Returns the routes of requests. Requests with the same method and address share a route, and thus take turns.
    package static func routes(of requests: some Sequence<RequestPlan>) -> [MockRoute] {
        var seen: Set<Address> = []
        return requests.compactMap { request in
            let address = Address(of: request)
            guard !request.mock.isEmpty, seen.insert(address).inserted else { return nil }
            return MockRoute(
                method: address.method,
                host: address.host,
                path: PathPattern(template: address.path),
                answers: request.mock.map(answer)
            )
        }
    }

    /// The address of a request, as far as it is known before evaluation; `${…}` is kept as is.
    private struct Address: Hashable {
        var method: String?
        var host: String?
        var path: String

        init(of request: RequestPlan) {
            method = request.constantMethod
            let written = request.address.text.value.written
            var whole = written
            // A computed address is treated as a path, because a computed URL could be any.
            if !request.address.isURL {
                var base = request.settings.baseURL?.value.written ?? ""
                while base.last == "/" { base.removeLast() }
                let version = request.settings.version.map { "/" + $0.value.written } ?? ""
                whole = base + version + (written.hasPrefix("/") || written.isEmpty ? written : "/" + written)
            }
            let address = URIReference(whole)
            // An origin that is a template matches any host; the path starts after it.
            let rest = address.path.hasPrefix("${") ? address.path.drop { $0 != "}" }.dropFirst() : address.path[...]
            path = rest.isEmpty ? "/" : String(rest)
            host = address.authority.flatMap { $0.contains("$") ? nil : $0.lowercased() }
        }
    }

    private static func answer(_ example: MockExample) -> MockResponse {
        var headers = example.headers.map { MockResponse.Header($0.name, $0.value) }
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
