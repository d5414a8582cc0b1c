import Testing
import WaybillJSON

@testable import WaybillMock

@Suite(.timeLimit(.minutes(5))) struct PathPatternTests {
    @Test(
        arguments: [
            ("/users", "/users", true), ("/users", "/users/", false), ("/users", "/Users", false),
            ("/users/${id}", "/users/7", true), ("/users/${id}", "/users/", false),
            ("/users/${id}", "/users/7/x", false), ("/users/${id}", "/users/a%2Fb", true),
            ("/users/${id}/x", "/users/7/x", true), ("/v${n}/x", "/v1.2/x", true), ("/v${n}/x", "/v/x", true),
            ("/v${n}/x", "/w1/x", false), ("/${a}-${b}.json", "/x-y-z.json", true),
            ("/${a}-${b}.json", "/xy.json", false),
            ("/files/${raw(path)}", "/files/a/b/c", true), ("/files/${ raw(p) }/meta", "/files/a/b/meta", true),
            ("/files/${raw(p)}/meta", "/files/a/b/beta", false),
            ("/a b/é", "/a%20b/%C3%A9", true), ("/a%20b", "/a b", true), ("/a%2fb", "/a%2Fb", true),
            ("/a%2Fb", "/a/b", false), ("/100%", "/100%", true), ("/x?all=1", "/x", true),
            ("/x/${split(y, '}?/')[0]}/z", "/x/1/z", true), ("/x/${$[?@.a == \"}\"].b}/z", "/x/1/z", true),
            ("/$${a}", "/${a}", true), ("/x${open", "/xyz", true), ("", "", true), ("/", "/", true),
        ] as [(String, String, Bool)]
    )
    func `a path either matches a pattern or does not`(template: String, path: String, expected: Bool) {
        #expect(PathPattern(template: template).matches(path: path) == expected)
    }

    @Test func `matching many wildcards against a long path is fast`() {
        let pattern = PathPattern(template: "/" + String(repeating: "${a}x", count: 30) + "y")
        #expect(!pattern.matches(path: "/" + String(repeating: "x", count: 20_000)))
    }

    @Test func `a pattern is shown as written, without its query`() {
        #expect(PathPattern(template: "/users/${inputs.id}?x=${y}").description == "/users/${inputs.id}")
    }
}

@Suite(.timeLimit(.minutes(5))) struct RouteTableTests {
    private func table(_ routes: String...) -> RouteTable {
        RouteTable(
            routes.map { route in
                let words = route.split(separator: " ").map(String.init)
                let host = words.count > 2 ? words[2] : nil
                return MockRoute(method: words[0], host: host, path: PathPattern(template: words[1]), responses: [])
            }
        )
    }

    private func match(_ request: String, host: String = "mock", in table: RouteTable) -> RouteTable.Match {
        let words = request.split(separator: " ").map(String.init)
        return table.match(method: words[0], RequestTarget(words[1], hostHeader: host))
    }

    @Test(
        arguments: [
            ("/list", nil, 0), ("/list?page=1", nil, 1), ("/list?x=%20&page=2", nil, 2), ("/list?page=2&x=+", nil, 2),
            ("/list?page=2", nil, 3), ("/list?page=9", nil, 0), ("/list", #"{"b": 1, "a": [2]}"#, 4),
            ("/list", "hello", 5),
            ("/list?page=1", "hello", 1),
        ] as [(String, String?, Int)]
    )
    func `of the routes for one path, the one of whose query and body the request has most is found`(
        target: String,
        body: String?,
        expected: Int
    ) throws {
        func route(_ query: [MockField], _ body: JSON? = nil) -> MockRoute {
            MockRoute(
                method: "POST",
                host: nil,
                path: PathPattern(template: "/list"),
                query: query,
                body: body,
                responses: []
            )
        }
        let page = { (number: String) in MockField("page", number) }
        let table = RouteTable([
            route([]), route([page("1")]), route([page("2"), .init("x", " ")]), route([page("2")]),
            route([], ["a": [2], "b": 1]), route([], "hello"),
        ])
        let match = table.match(
            method: "POST",
            RequestTarget(target, hostHeader: "mock"),
            body: Array((body ?? "").utf8)
        )
        #expect(match == .route(expected))
    }

    @Test(
        arguments: [
            ("GET /users/me", 3), ("GET /users/7", 1), ("GET /users/v7", 2), ("GET /users/7/x", 0),
            ("HEAD /users/7", 1), ("HEAD /both", 5), ("GET /both?x=%2F", 4),
        ]
    )
    func `the most specific path wins`(request: String, expected: Int) {
        let table = table(
            "GET /users/${raw(p)}",
            "GET /users/${id}",
            "GET /users/v${id}",
            "GET /users/me",
            "GET /both",
            "HEAD /both"
        )
        #expect(match(request, in: table) == .route(expected))
    }

    @Test(
        arguments: [
            ("a.example.com", 0), ("A.Example.com:443", 0), ("b.example.com:8080", 1), ("c.example.com", 3),
            // An unknown host may be the server's own address: the first route is used.
            ("127.0.0.1:4711", 0), ("", 0),
        ]
    )
    func `the host decides between equal paths`(host: String, expected: Int) {
        let table = table("GET /x a.example.com:80", "GET /x B.example.com:8080", "GET /y c.example.com", "GET /x")
        #expect(match("GET /x", host: host, in: table) == .route(expected))
    }

    @Test func `an example of one service is never used for another`() {
        let table = table("GET /x a.example.com", "GET /y b.example.com", "POST /z")
        #expect(match("GET /x", host: "b.example.com", in: table) == .none(nearest: 1))
        #expect(match("POST /z", host: "b.example.com", in: table) == .route(2))
        #expect(match("GET http://b.example.com/y?z", host: "a.example.com", in: table) == .route(1))
    }

    @Test func `a known path with another method reports the methods of its routes`() {
        let table = table("GET /x/${id}", "PUT /x/7", "POST /x")
        #expect(match("DELETE /x/7", in: table) == .otherMethods(["GET", "HEAD", "PUT"]))
    }

    @Test func `an unknown path reports the route that was probably meant`() {
        let table = table("GET /users/${id}/schedule", "POST /login", "GET /login")
        #expect(match("GET /users/7/shedule", in: table) == .none(nearest: 0))
        #expect(match("GET /logn", in: table) == .none(nearest: 2))
        #expect(match("POST /logn", in: table) == .none(nearest: 1))
        #expect(match("GET /something/else", in: table) == .none(nearest: nil))
    }
}
