import Testing
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON

@testable import WaybillExecution
@testable import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct PaginationStateTests {
    private struct Nowhere: EvaluationEnvironment {
        func now() -> Timestamp { Timestamp(nanoseconds: 0) }
        func uuid() -> String { "" }
        func contents(ofFile path: String) throws(EvaluationError) -> [UInt8] { throw EvaluationError(.value, "none") }
    }

    private static func name(_ text: String) -> Spanned<String> {
        Spanned(text, at: SourceFile(name: "m.yaml", text: text).span(0..<text.utf8.count))
    }

    private func pagination(_ style: Pagination.Style, max: Int? = nil, while condition: String? = nil) throws
        -> Pagination
    {
        Pagination(
            style: style,
            items: nil,
            max: max,
            condition: try condition.map { try ManifestExpression(parsing: $0, named: "m.yaml") },
            span: Self.name("paginate").span,
            level: .defaults
        )
    }

    private func page(_ body: JSON, items: Int = 1, url: String = "http://s/a/list?x=1", links: [String] = [])
        -> PaginationState.Page
    {
        let scope = EvaluationScope(
            root: DictionaryNamespace(),
            current: ScopeValue(body),
            environment: Nowhere()
        )
        return PaginationState.Page(scope: scope, items: items, url: url, links: links)
    }

    private func expression(_ text: String) throws -> ManifestExpression {
        try ManifestExpression(parsing: text, named: "m.yaml")
    }

    private static let targets: [(String, PaginationState.Decision)] = [
        ("\"http://s/b\"", .follow(.url("http://s/b"))), ("\"b?y#f\"", .follow(.url("http://s/a/b?y"))),
        ("\"?page=2\"", .follow(.url("http://s/a/list?page=2"))),
        ("\"//t/ä b\"", .follow(.url("http://t/%C3%A4%20b"))), ("\"\"", .finish), ("null", .finish),
        ("[\"/b\"]", .follow(.url("http://s/b"))),
    ]

    @Test(arguments: targets)
    func `the next page is the one that the response names`(next: String, expected: PaginationState.Decision) throws {
        var state = PaginationState(try pagination(.next(expression("$.next"))))
        #expect(state.request == .plain)
        #expect(try state.next(after: page(["next": JSONParser().parse(Array(next.utf8))])) == expected)
    }

    @Test func `a response without a next page is the last one`() throws {
        for body in [JSON.string("text"), [:], .null] {
            var state = PaginationState(try pagination(.next(expression("$.next"))))
            #expect(try state.next(after: page(body)) == .finish)
        }
    }

    @Test(arguments: [
        ("\"ftp://s/b\"", "cannot request the next page at 'ftp://s/b': the URL's scheme is"),
        ("\"mailto:x\"", "cannot request the next page at 'mailto:x'"),
        ("\"http://u:p@s/\"", "cannot request the next page at "),
        ("7", "the next page's URL is a number, not a string"),
        ("[\"/a\", \"/b\"]", "the next page's URL is a list, not a string"),
        ("[]", "the next page's URL is a list, not a string"),
        ("{}", "the next page's URL is an object, not a string"),
    ])
    func `a next page at a URL that must not be requested is a failure`(next: String, message: String) throws {
        var state = PaginationState(try pagination(.next(expression("$.next"))))
        guard case .fail(let words, _) = try state.next(after: page(["next": JSONParser().parse(Array(next.utf8))]))
        else {
            Issue.record("it goes on")
            return
        }
        #expect(words.hasPrefix(message), "\(words)")
    }

    @Test func `links are followed as long as there is one`() throws {
        var state = PaginationState(try pagination(.link))
        let first = try state.next(after: page([], items: 0, links: ["<list?page=2>; rel=next"]))
        #expect(first == .follow(.url("http://s/a/list?page=2")))
        #expect(try state.next(after: page([], items: 1, links: ["<list>; rel=first"])) == .finish)
        #expect(state.pages == 2)
    }

    @Test func `a path with a filter that matches nothing finds no next page`() throws {
        var state = PaginationState(try pagination(.next(expression("$.links[?@.rel == 'next'].href"))))
        #expect(try state.next(after: page(["links": [["rel": "prev", "href": "/b"]]])) == .finish)
    }

    @Test func `a malformed link is a failure`() throws {
        var state = PaginationState(try pagination(.link))
        guard case .fail(let words, _) = try state.next(after: page([], links: ["</b> rel=next"])) else {
            Issue.record("it goes on")
            return
        }
        #expect(words == "the field 'Link: </b> rel=next' is malformed, so it may name a next page")
    }

    @Test func `pages are counted until one is empty`() throws {
        var state = PaginationState(try pagination(.page(.query(Self.name("page")), start: 0)))
        #expect(state.request == .query("page", 0))
        #expect(try state.next(after: page([], items: 3)) == .follow(.query("page", 1)))
        #expect(try state.next(after: page([], items: 1)) == .follow(.query("page", 2)))
        #expect(state.request == .query("page", 2))
        #expect(try state.next(after: page([], items: 0)) == .finish)
    }

    @Test func `offsets are counted until a page is not full`() throws {
        var state = PaginationState(try pagination(.offset(.input(Self.name("from")), limit: 3)))
        #expect(state.request == .input("from", 0))
        #expect(try state.next(after: page([], items: 3)) == .follow(.input("from", 3)))
        // More items than requested: the next page starts after them.
        #expect(try state.next(after: page([], items: 5)) == .follow(.input("from", 8)))
        #expect(try state.next(after: page([], items: 2)) == .finish)
    }

    private static let cursors: [(String, PaginationState.Decision)] = [
        ("\"x\"", .follow(.query("at", "x"))), ("1.50", .follow(.query("at", 1.5))), ("\"\"", .finish),
        ("null", .finish),
    ]

    @Test(arguments: cursors)
    func `a cursor is sent in the query until it is empty`(cursor: String, expected: PaginationState.Decision) throws {
        let way = Pagination.Style.cursor(.query(Self.name("at")), from: try expression("$.c"))
        var state = PaginationState(try pagination(way))
        #expect(state.request == .plain)
        #expect(try state.next(after: page(["c": JSONParser().parse(Array(cursor.utf8))])) == expected)
    }

    @Test func `a repeated cursor is a failure`() throws {
        let way = Pagination.Style.cursor(.query(Self.name("at")), from: try expression("$.c"))
        var state = PaginationState(try pagination(way))
        for cursor in ["x", "y"] { _ = try state.next(after: page(["c": .string(cursor)])) }
        guard case .fail(let words, _) = try state.next(after: page(["c": "x"])) else {
            Issue.record("it goes on")
            return
        }
        #expect(words == "the pages form a cycle: 'x' occurs twice")
    }

    @Test func `equal pages are a failure, unless their number has a limit`() throws {
        let way = Pagination.Style.page(.query(Self.name("p")), start: 1)
        var state = PaginationState(try pagination(way))
        func next(_ item: JSON) throws -> PaginationState.Decision {
            var next = page([item])
            (next.items, next.content) = (1, [item])
            return try state.next(after: next)
        }
        for item: JSON in [1, 1, 2, 2] {
            guard case .follow = try next(item) else {
                Issue.record("it ends")
                return
            }
        }
        guard case .fail(let words, _) = try next(2) else {
            Issue.record("it goes on")
            return
        }
        #expect(words.hasPrefix("3 pages in a row have the same items, so the server seems to ignore 'p'"))
        state = PaginationState(try pagination(way, max: 10))
        for _ in 0..<9 { #expect(try next(2) != .finish) }
        #expect(try next(2) == .finish)
    }

    @Test func `a page that links to itself is a failure`() throws {
        var state = PaginationState(try pagination(.link))
        guard case .fail = try state.next(after: page([], links: ["<list?x=1#top>; rel=next"])) else {
            Issue.record("it goes on")
            return
        }
    }

    @Test func `paging stops at the maximum number of pages or when the condition does not hold`() throws {
        let way = Pagination.Style.page(.query(Self.name("page")), start: 1)
        var limited = PaginationState(try pagination(way, max: 2))
        #expect(try limited.next(after: page([])) != .finish)
        #expect(try limited.next(after: page([])) == .finish)
        var conditional = PaginationState(try pagination(way, while: "$.more"))
        #expect(try conditional.next(after: page(["more": true])) != .finish)
        #expect(try conditional.next(after: page(["more": false])) == .finish)
        var missing = PaginationState(try pagination(way, while: "$.more"))
        #expect(throws: EvaluationFailure.self) { try missing.next(after: page([:])) }
    }

    @Test(
        arguments: [
            (.link, "http://s/b", .url("http://s/b")), (.page(.query(name("p")), start: 1), 7, .query("p", 7)),
            (.offset(.input(name("o")), limit: 2), 4, .input("o", 4)),
        ] as [(Pagination.Style, JSON, PageRequest)]
    )
    func `a resumed state continues at the page that the journal records`(
        style: Pagination.Style,
        next: JSON,
        request: PageRequest
    ) throws {
        let state = PaginationState(try pagination(style, max: 4), after: 3, next: next)
        #expect(state.request == request)
        #expect(state.pages == 3)
    }
}
