import Testing
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct JSONObjectTests {
    private func object(_ count: Int) -> JSONObject {
        JSONObject((0..<count).map { (name: "n\($0)", value: JSON.number(JSONNumber($0))) })
    }

    @Test(arguments: [0, 1, 16, 17, 18, 1000])
    func `members are found by name in objects of any size`(count: Int) {
        let object = object(count)
        #expect(object.count == count)
        #expect(object.names == (0..<count).map { "n\($0)" })
        #expect((0..<count).allSatisfy { object["n\($0)"]?.number?.int == $0 && object.index(of: "n\($0)") == $0 })
        #expect(object["n\(count)"] == nil)
    }

    @Test(arguments: [3, 16, 17, 18, 100])
    func `removing a member keeps the order of the others`(count: Int) {
        var object = object(count)
        let before = object
        #expect(object.removeValue(named: "n1") == 1)
        #expect(object.removeValue(named: "n1") == nil)
        #expect(object.names == before.names.filter { $0 != "n1" })
        #expect(object.allSatisfy { object[$0.name] == $0.value })
        object["n1"] = "again"
        #expect(object.names.last == "n1")
        #expect(object["n1"] == "again")
        #expect(before["n1"] == 1)
        #expect(before.count == count)
    }

    @Test func `assigning nil removes a member, and assigning null does not`() {
        var object: JSONObject = JSONObject([(name: "a", value: 1), (name: "b", value: 2), (name: "a", value: 3)])
        #expect(object.names == ["a", "b"])
        #expect(object["a"] == 3)
        object["b"] = JSON.null
        #expect(object["b"] == .some(.null))
        object["a"] = Optional<JSON>.none
        #expect(object.names == ["b"])
    }

    @Test(arguments: [2, 20])
    func `names are compared by code points`(others: Int) {
        var object = object(others)
        object["e\u{301}"] = "decomposed"
        object["\u{E9}"] = "composed"
        #expect(object.count == others + 2)
        #expect(object["e\u{301}"] == "decomposed")
        #expect(object["\u{E9}"] == "composed")
    }

    @Test(arguments: [2, 20])
    func `equality and hashes do not depend on the order`(count: Int) {
        let object = object(count)
        var reversed = JSONObject(object.reversed())
        #expect(object == reversed)
        #expect(object.hashValue == reversed.hashValue)
        reversed["n1"] = "other"
        #expect(object != reversed)
        #expect(object.mapValues { _ in 1 } == reversed.mapValues { _ in 1 })
    }
}
