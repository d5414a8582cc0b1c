import Testing

@testable import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct BusyWaitTests {
    @Test func `busy waiting is worthwhile only while waits are short`() {
        var wait = BusyWait()
        #expect(!wait.isWorthwhile)
        wait.note(slept: .microseconds(60))
        #expect(wait.isWorthwhile)
        wait.note(slept: .milliseconds(2))
        #expect(!wait.isWorthwhile)
        wait.note(slept: .microseconds(99))
        #expect(wait.isWorthwhile)
    }
}
