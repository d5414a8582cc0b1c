import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct FieldNameTests {
    private static let head = """
        waybill: 1
        services: {s: {baseURL: "http://127.0.0.1:1"}}
        data: {regions: {file: regions.csv}, tree: {file: tree.json}}
        inputs:
          name: {type: [string, "null"], default: a}
          list:
            {type: array, default: [], items: {type: object, properties: {id: true}, additionalProperties: false}}
          open: {type: object, default: {}, properties: {id: {type: string}}}
        """

    private func diagnostics(_ chain: String) throws -> [Diagnostic] {
        let folder = TemporaryFolder()
        folder.write("name,code\nnorth,1\nsouth,2\n", to: "regions.csv")
        folder.write(#"{"a": [{"x": 1}, {"y": {"z": 2}}], "n": 1}"#, to: "tree.json")
        let path = folder.write("\(Self.head)\ngraphs: {main: {chain: [\(chain)]}}\n", to: "manifest.yaml")
        let loaded = ManifestLoader().load(path)
        guard let manifest = loaded.manifest else { return loaded.diagnostics }
        return (loaded.diagnostics + PlanBuilder.check(manifest).diagnostics).filter {
            $0.id.name != "unused-definition"
        }
    }

    @Test(
        arguments: [
            ("inputs.name", nil), ("inputs.name.x", "empty-reference"), ("inputs.name[0]", "empty-reference"),
            ("inputs.name[*]", "empty-reference"), ("manifest.inputs.name.x", "empty-reference"),
            ("inputs.list[0].id", nil), ("inputs.list[0].ide", "unknown-field"), ("inputs.list.id", "empty-reference"),
            ("inputs.list[*].ide", "unknown-field"), ("inputs.open.other", nil), ("run.id.x", "empty-reference"),
            ("request.method.x", "empty-reference"), ("response.status.x", "empty-reference"),
            ("response.headers.etag", nil), ("response.headers.etag.x", "empty-reference"),
            ("data.regions[0].name", nil), ("data.regions[0].nme", "unknown-field"),
            ("data.regions[-1].code", nil), ("data.regions[2].name", "empty-reference"),
            ("data.regions[*].nme", "unknown-field"), ("data.regions[?@.code == '1'].name", nil),
            ("data.regions[?@.code == '1'].nme", "unknown-field"), ("data.regions.name", "empty-reference"),
            ("data.regions[0].name.x", "empty-reference"), ("data.tree.a[*].y", nil), ("data.tree.a[*].y.z", nil),
            ("data.tree.a[*].y.q", "unknown-field"), ("data.tree.n.x", "empty-reference"), ("data.tree..z", nil),
            ("data.tree[0]", "empty-reference"), ("data.tree[*].q", "empty-reference"),
        ] as [(String, String?)]
    )
    func `a path must lead to a value that can exist`(path: String, id: String?) throws {
        let found = try diagnostics(#"{get: /a, outputs: {o: "\#(path)"}}"#)
        #expect(found.map(\.id.name) == [id].compactMap { $0 }, "\(HumanRenderer().render(found))")
    }

    @Test(
        arguments: [
            ("rows of data", "data.regions", "e.nme", "unknown-field"),
            ("rows of data that are there", "data.regions", "e.name", nil),
            ("some rows of data", "data.regions[?@.code == '1']", "e.nme", "unknown-field"),
            ("a column of data", "data.regions[*].name", "e.x", "empty-reference"),
            ("elements of an input", "inputs.list", "e.ide", "unknown-field"),
            ("elements in place", "[{id: 1}, {id: 2}]", "e.ide", "unknown-field"),
            ("elements that are computed", "sort(data.regions[*].name)", "e.x", nil),
            ("elements of any depth", "data.tree..y", "e.x", nil),
            ("an input without a shape", "inputs.open.other", "e.x", nil),
        ] as [(String, String, String, String?)]
    )
    func `the variable of forEach has the fields of the list's elements`(
        what: String,
        list: String,
        path: String,
        id: String?
    )
        throws
    {
        let list = list.hasPrefix("[") ? list : "\"\(list)\""
        let found = try diagnostics(#"{forEach: {in: \#(list), as: e}, get: "/${\#(path)}"}"#)
        #expect(found.map(\.id.name) == [id].compactMap { $0 }, "\(what): \(HumanRenderer().render(found))")
    }

    @Test(
        arguments: [
            ("steps.each.items[*].outputs.x", nil), ("steps.each.items[*].outputs.y", "unknown-field"),
            ("steps.each.items[0].outputs.y", "unknown-field"), ("steps.each.items[*].statu", "unknown-field"),
            ("steps.each.items[*].item.nme", "unknown-field"), ("steps.each.items[*].item.name", nil),
            ("steps.each.items[*].status.x", "empty-reference"), ("steps.each.items.x", "empty-reference"),
            ("steps.each.ok.x", "empty-reference"), ("steps.each.error.mesage", "unknown-field"),
            ("steps.one.status.x", "empty-reference"), ("steps.one.headers.etag", nil), ("steps.one.data.x", nil),
        ] as [(String, String?)]
    )
    func `the fields of steps are known`(path: String, id: String?) throws {
        let found = try diagnostics(
            #"""
            {id: each, forEach: {in: data.regions, as: e}, get: "/${e.name}", outputs: {x: $.x}}, {id: one, get: /a},
            {values: {v: "\#(path)"}}
            """#
        )
        #expect(found.map(\.id.name) == [id].compactMap { $0 }, "\(HumanRenderer().render(found))")
    }

    @Test func `the diagnostic names the nearest field and the data, and is a warning if a default is given`() throws {
        let found = try diagnostics(#"{forEach: {in: data.regions, as: e}, get: "/${default(e.nme, 'x')}"}"#)
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.primary?.text == "did you mean 'name'?")
        #expect(found.first?.secondary.map(\.text) == ["the element"])
    }

    @Test(
        arguments: [
            ("bytes have no fields", ["empty-reference"], "{get: /a, decoding: bytes, outputs: {o: $.x}}"),
            ("as a whole they are there", [], "{get: /a, decoding: bytes, outputs: {o: length($)}}"),
            ("a text has no fields", ["empty-reference"], "{get: /a, decoding: text, expect: {body: [$.x == 1]}}"),
            (
                "a filter may make something else of it", [],
                "{get: /a, decoding: text, filters: [{decode: json}], outputs: {o: $.x}}"
            ),
            ("what decides by the response is not known", [], "{get: /a, outputs: {o: $.x}}"),
        ] as [(String, [String], String)]
    )
    func `response data without an object structure has no fields`(what: String, ids: [String], step: String) throws {
        let found = try diagnostics(step)
        #expect(found.map(\.id.name) == ids, "\(what): \(HumanRenderer().render(found))")
    }

    @Test(
        arguments: [
            ("the element of a stage", "item.email", 1, "{get: /a, filters: [{map: LITERAL}]}"),
            ("an element by its index", "item[0]", 1, "{get: /a, filters: [{map: {first: LITERAL}}]}"),
            ("prose", "item. And more", 0, "{get: /a, filters: [{map: LITERAL}]}"),
            ("a word", "item", 0, "{get: /a, filters: [{map: LITERAL}]}"),
            ("an element where there is none", "item.email", 0, "{get: /a, query: {q: LITERAL}}"),
            (
                "the variable of forEach", "user.id", 1,
                "{forEach: {in: [{id: 1}], as: user}, get: /a, query: {q: LITERAL}}"
            ),
            (
                "a field that no element has", "user.example", 0,
                "{forEach: {in: [{id: 1}], as: user}, get: /a, query: {q: LITERAL}}"
            ),
            ("the name of a host", "api.example.com", 0, "{get: /a, headers: {Host: LITERAL}}"),
            ("the response", "response.status", 1, "{get: /a, filters: [{map: LITERAL}]}"),
            ("a host that is called like it", "response.example", 0, "{get: /a, filters: [{map: LITERAL}]}"),
            ("a response that is not there yet", "response.status", 0, "{get: /a, query: {q: LITERAL}}"),
            ("data", "data.tree.n", 1, "{get: /a, query: {q: LITERAL}}"),
            ("the name of a file", "data.tree", 0, "{get: /a, write: {to: LITERAL, format: json}}"),
            ("an input", "inputs.name", 1, "{get: /a, query: {q: LITERAL}}"),
        ] as [(String, String, Int, String)]
    )
    func `a string literal that looks like a path is reported if the path would lead to a value`(
        what: String,
        text: String,
        count: Int,
        step: String
    ) throws {
        let found = try diagnostics(step.replacing("LITERAL", with: "\"\(text)\""))
        #expect(
            found.map(\.id.name) == Array(repeating: "literal-path", count: count),
            "\(what): \(HumanRenderer().render(found))"
        )
    }
}
