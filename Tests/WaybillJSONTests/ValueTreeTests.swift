import Testing
import WaybillJSON
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct ValueTreeTests {
    @Test(arguments: [
        "null", "true", "[false, 0, -1.50, 1e400, \"\"]", "[[], {}]",
        "{\"a\": {\"b\": [1, {\"ü\": \"x\"}]}, \"\": null}",
        "{\"0\": 1, \"1\": 2, \"2\": 3, \"3\": 4, \"4\": 5, \"5\": 6, \"6\": 7, \"7\": 8, \"8\": 9, \"9\": 10, "
            + "\"10\": 11, \"11\": 12, \"12\": 13, \"13\": 14, \"14\": 15, \"15\": 16, \"16\": 17, \"17\": 18}",
    ])
    func `a value is stored in a tree and read back unchanged`(text: String) throws {
        let value = try JSONParser().parse(Array(text.utf8))
        let tree = ValueTree(value)
        let json = tree.json(of: tree.root)
        #expect(json == value)
        #expect(JSONWriter().string(json) == JSONWriter().string(value))
    }

    @Test(arguments: [3, 40])
    func `a member is found by the code points of its name`(count: Int) {
        var object = JSONObject()
        for number in 0..<count { object["name \(number)"] = .number(JSONNumber(number)) }
        object["\u{E9}"] = "composed"
        object["e\u{301}"] = "decomposed"
        let tree = ValueTree(.object(object))
        #expect(tree.position(of: "name \(count - 1)", in: tree.root) == count - 1)
        #expect(tree.position(of: "\u{E9}", in: tree.root) == count)
        #expect(tree.position(of: "e\u{301}", in: tree.root) == count + 1)
        #expect(tree.position(of: "name", in: tree.root) == nil)
        #expect(tree.duplicateNames(in: tree.root).isEmpty)
    }

    @Test(arguments: [3, 40])
    func `a repeated name is reported with its first occurrence`(count: Int) {
        var tree = ValueTree()
        var parts: [ValueTree.Index] = []
        for number in Array(0..<count) + [1, 0, 1] {
            parts.append(tree.addScalar(.string, text: Array("a somewhat longer name \(number)".utf8)))
            parts.append(parts[parts.count - 1])
        }
        let object = tree.addObject(parts[...])
        let found = tree.duplicateNames(in: object)
        #expect(found.map(\.first) == [1, 0, 1])
        #expect(found.map(\.position) == [count, count + 1, count + 2])
        #expect(tree.position(of: "a somewhat longer name 1", in: object) == 1)
    }
}
