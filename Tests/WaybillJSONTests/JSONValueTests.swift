import Testing
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct JSONValueTests {
    @Test func `members keep their order, which does not affect equality`() {
        let one: JSON = ["b": 1, "a": 2]
        #expect(one.object?.names == ["b", "a"])
        #expect(one == ["a": 2, "b": 1])
    }

    @Test func `strings are compared by code points`() {
        #expect(JSON.string("e\u{301}") != JSON.string("\u{E9}"))
    }
}
