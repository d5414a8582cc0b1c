import Testing

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct ReachabilityStateTests {
    /// An event of a service, and the expected action for its requests.
    enum Event {
        case ask(at: Duration, ReachabilityState.Action)
        case probed(String?, at: Duration)
        case gaveUp
        case failed
    }

    private static let reachable: [Event] = [.ask(at: .zero, .probe), .probed(nil, at: .zero)]
    private static let unreachable: [Event] = [.ask(at: .zero, .probe), .probed("no", at: .zero)]

    @Test(arguments: [
        [.ask(at: .zero, .probe), .ask(at: .zero, .wait), .ask(at: .zero, .wait)],
        reachable + [.ask(at: .zero, .go), .ask(at: .seconds(1000), .go)],
        reachable + [.failed, .ask(at: .zero, .probe), .ask(at: .zero, .wait), .probed(nil, at: .zero)]
            + [.ask(at: .zero, .go)],
        unreachable + [.ask(at: .milliseconds(999), .refuse("no")), .ask(at: .seconds(1), .probe)],
        // During a new probe, other requests are refused at once with the known reason.
        unreachable + [.ask(at: .seconds(1), .probe), .ask(at: .seconds(1), .refuse("no"))]
            + [.probed("still no", at: .seconds(3)), .ask(at: .milliseconds(3500), .refuse("still no"))],
        unreachable + [.ask(at: .seconds(1), .probe), .probed(nil, at: .seconds(2)), .ask(at: .seconds(2), .go)],
        // A failed request does not change the state.
        unreachable + [.failed, .ask(at: .zero, .refuse("no"))],
        [.ask(at: .zero, .probe), .gaveUp, .ask(at: .zero, .probe)],
        unreachable + [.ask(at: .seconds(1), .probe), .gaveUp, .ask(at: .seconds(1), .probe)],
    ])
    func `requests are sent once a connection has been established`(events: [Event]) {
        var state = ReachabilityState()
        for event in events {
            switch event {
            case .ask(let now, let expected):
                let action = state.ask(now: now)
                #expect(action == expected)
            case .probed(let reason, let now): state.probed(reason, now: now)
            case .gaveUp: state.gaveUp()
            case .failed: state.failed()
            }
        }
    }
}
