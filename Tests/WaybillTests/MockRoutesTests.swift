import Testing
import WaybillJSON
import WaybillMock
import WaybillPlan
import WaybillPlanPrinting

@testable import Waybill
@testable import WaybillPipeline

@Suite(.timeLimit(.minutes(5))) struct MockRoutesTests {
    @Test func `requests for one path are distinguished by query and body, and the others are named`() throws {
        let fixture = LibraryFixture(
            """
            services: {s: {baseURL: "http://127.0.0.1:9/b"}}
            graphs:
              main:
                chain:
                  - {id: one, get: /l, query: {page: 1}, mock: {body: 1}}
                  - {id: two, get: "/l?page=2", mock: {body: 2}}
                  - {id: any, get: /l, query: {page: "${steps.two.data}"}, mock: {body: 3}}
                  - {id: again, get: /l, mock: {body: 4}}
                  - {id: json, post: /c, body: {json: {a: [1]}}, mock: {body: 5}}
                  - {id: text, post: /c, body: {text: hello}, mock: {body: 6}}
            """
        )
        let routes = MockRoutes(ofManifest: try fixture.plan().planned.plan.requests)
        #expect(
            routes.routes.map(\.query) == [[.init("page", "1")], [.init("page", "2")], [], [], []]
        )
        #expect(routes.routes.map(\.body) == [nil, nil, nil, ["a": [1]], "hello"])
        #expect(routes.routes.map(\.responses.count) == [1, 1, 2, 1, 1])
        #expect(routes.ambiguous == ["GET /b/l"])
    }
}
