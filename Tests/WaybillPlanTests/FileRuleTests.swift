import Testing
import WaybillDiagnostics
import WaybillPlan

@Suite(.timeLimit(.minutes(5))) struct FileRuleTests {
    private func diagnostics(_ rest: String, allowsOutside: Bool = false) throws -> [String] {
        let text = "services: {s: {baseURL: \"http://127.0.0.1:1\"}}\n\(rest)"
        return try PlanFixture.plan(text, allowsOutside: allowsOutside).diagnostics.map(\.id.name)
            .filter { $0 != "unused-definition" }
    }

    @Test(
        arguments: [
            ("a body above the manifest", "outside-folder", "{post: /a, body: {file: ../x}}"),
            ("a body anywhere", "outside-folder", "{post: /a, body: {file: /dev/null}}"),
            ("a part", "outside-folder", "{post: /a, body: {multipart: [{name: x, file: ../x}]}}"),
            ("by way of a folder that is not there", "outside-folder", "{post: /a, body: {file: nope/../../x}}"),
            ("a body inside it", "missing-file", "{post: /a, body: {file: nope/../x}}"),
            ("the manifest itself", nil, "{post: /a, body: {file: manifest.yaml}}"),
            ("a folder", "unreadable-file", "{post: /a, body: {file: .}}"),
            ("cookies outside", "outside-folder", "{get: /a, cookies: {jar: ../jar}}"),
            ("cookies that are not there yet", nil, "{get: /a, cookies: {jar: jar}}"),
            ("certificates above the manifest", "outside-folder", "{get: /a, tls: {ca: ../ca.pem}}"),
            ("certificates that are missing", "unreadable-file", "{get: /a, tls: {ca: ca.pem}}"),
            ("certificates of the machine", nil, "{get: /a, tls: {ca: /etc/hosts}}"),
            ("certificates that are a device", "unreadable-file", "{get: /a, tls: {ca: /dev/null}}"),
            ("a pin by a file", "unreadable-file", "{get: \"https://s/a\", tls: {pins: [server.cer]}}"),
            ("credentials that are missing", "unreadable-file", "{get: /a, auth: {netrc: netrc}}"),
            ("credentials of the machine", nil, "{get: /a, auth: {netrc: /etc/hosts}}"),
            ("credentials that are a device", "unreadable-file", "{get: /a, auth: {netrc: /dev/null}}"),
            ("results above the folder", "outside-folder", "{get: /a, write: {to: ../a.json}}"),
            ("results that go up and down", nil, "{get: /a, write: {to: b/../a.json}}"),
            ("results anywhere", "outside-folder", "{get: /a, write: {to: /tmp/a.json}}"),
            ("a file of the run itself", "reserved-file", "{get: /a, write: {to: b/../sources.json}}"),
            ("a body of the run itself", "reserved-file", "{get: /a, download: {to: bodies/a}}"),
            ("a file of such a name in a folder", nil, "{get: /a, write: {to: b/run.json}}"),
            ("a download above the folder", "outside-folder", "{get: /a, download: {to: a/../../b}}"),
            ("a download whose beginning is certain", "outside-folder", "{get: /a, download: {to: \"../${run.id}\"}}"),
            ("a download whose name only looks like it", nil, "{get: /a, download: {to: \"..${run.id}\"}}"),
        ] as [(String, String?, String)]
    )
    func `files must exist and be inside their folders`(what: String, id: String?, step: String) throws {
        let graph = "graphs: {main: {chain: [\(step)]}}"
        #expect(try diagnostics(graph) == [id].compactMap { $0 }, "\(what)")
        if id == "outside-folder" {
            #expect(try !diagnostics(graph, allowsOutside: true).contains("outside-folder"), "\(what)")
        }
    }

    @Test(
        arguments: [
            ("two steps", 1, "{get: /a, write: {to: a.json}}, {get: /b, write: {to: ./a.json}}"),
            (
                "two files with canonically equivalent names", 0,
                #"{get: /a, write: {to: "\u00e9.json"}}, {get: /b, write: {to: "e\u0301.json"}}"#
            ),
            ("two files", 0, "{get: /a, write: {to: a.json}}, {get: /b, write: {to: b.json}}"),
            (
                "two that may exclude each other", 0,
                "{get: /a, when: run.id == 'a', write: {to: a.json}}, {get: /b, when: run.id == 'b', write: {to: a.json}}"
            ),
            (
                "two of which one always runs", 1,
                "{get: /a, when: run.id == 'a', write: {to: a.json}}, {get: /b, write: {to: a.json}}"
            ),
            ("records of all elements", 0, "{get: /a, forEach: {in: [1], as: e}, write: {to: a.json}}"),
            ("a file for each element", 1, "{forEach: {in: [1], as: e}, chain: [{get: /a, write: {to: a.json}}]}"),
            ("a download for each element", 1, "{get: /a, forEach: {in: [1], as: e}, download: {to: a}}"),
            ("a folder for each element", 0, "{get: /a, forEach: {in: [1], as: e}, download: {to: a/}}"),
            (
                "downloads that may meet", 0,
                "{get: /a, forEach: {in: [1], as: e}, download: {to: a}, duplicates: cancel-previous}"
            ),
            ("an endpoint called twice", 1, "{call: load}, {id: again, call: load}"),
            ("a graph run twice", 1, "{graph: inner}, {id: again, graph: inner}"),
            ("a graph run for each element", 1, "{graph: inner, forEach: {in: [1], as: e}}"),
            (
                "a file for each round", 1,
                "{until: {that: steps.a.status == 200}, chain: [{id: a, get: /a, write: {to: a.json}}]}"
            ),
            (
                "a download for each round", 1,
                "{until: {that: steps.a.status == 200}, batch: [{id: a, get: /a, download: {to: a}}]}"
            ),
            (
                "a file whose name depends on the round", 0,
                "{until: {that: steps.a.status == 200}, chain: [{id: a, get: /a}, {get: /b, write: {to: \"${steps.a.status}.json\"}}]}"
            ),
            (
                "a file of one of the rounds", 0,
                "{until: {that: steps.a.status == 200}, chain: [{id: a, get: /a}, {get: /b, when: steps.a.status == 200, write: {to: b.json}}]}"
            ),
            (
                "a table that keeps the rows of all rounds", 0,
                "{until: {that: steps.a.status == 200}, chain: [{id: a, get: /a, write: {to: a.sqlite, table: a, key: [k]}}]}"
            ),
            ("a file of the last poll", 0, "{id: a, get: /a, until: {that: $.done}, write: {to: a.json}}"),
            ("a graph run in each round", 1, "{until: {that: run.id == 'a'}, chain: [{graph: outer}]}"),
            ("a graph that is repeated", 1, "{graph: inner, until: {that: run.id == 'a'}}"),
            (
                "a graph run in one of the rounds", 0,
                "{until: {that: run.id == 'a'}, chain: [{graph: outer, when: run.id == 'a'}]}"
            ),
            ("a graph run once", 0, "{graph: inner}"),
            ("a graph whose caller is run twice", 1, "{graph: outer}, {id: again, graph: outer}"),
            ("a graph run by way of two others", 1, "{graph: outer}, {graph: inner}"),
            ("a file of another graph", 1, "{graph: inner}, {get: /a, write: {to: inner.json}}"),
            ("a file of a graph that does not run with it", 0, "{get: /a, write: {to: apart.json}}"),
        ] as [(String, Int, String)]
    )
    func `a file is written only once, by a single step`(what: String, count: Int, chain: String) throws {
        let found = try diagnostics(
            """
            endpoints: {load: {path: /a, download: {to: a}}}
            graphs:
              main: {chain: [\(chain)]}
              outer: {chain: [{graph: inner}]}
              inner: {chain: [{get: /a, write: {to: inner.json}}]}
              apart: {chain: [{get: /a, write: {to: apart.json}}]}
            """
        )
        #expect(found == Array(repeating: "same-file", count: count), "\(what)")
    }
}
