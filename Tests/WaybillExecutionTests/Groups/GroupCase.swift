import WaybillResults

/// Three steps `a`, `b` and `c` in a chain or batch, the order in which they finish, and which of them fail, with the
/// expected results, which do not depend on the implementation.
struct GroupCase: Sendable, CustomStringConvertible {
    enum Order: String, CaseIterable, Sendable {
        case chain, batch
    }

    enum Mode: String, CaseIterable, Sendable {
        case stop, collect, `continue`
    }

    /// A chain or batch, and what it does after a failure.
    struct Kind: Sendable, CustomStringConvertible {
        var order: Order
        var mode: Mode

        var description: String { "\(order) \(mode.rawValue)" }

        static let all = Order.allCases.flatMap { order in Mode.allCases.map { Kind(order: order, mode: $0) } }

        /// The group, followed by a step `z` that runs only if the group has passed.
        var manifest: String {
            """
            graphs:
              main:
                chain:
                  - onFailure: \(mode.rawValue)
                    \(order):
                      - {id: a, get: /a}
                      - {id: b, get: /b}
                      - {id: c, get: /c}
                  - {id: z, get: /z}
            """
        }
    }

    static let steps = ["a", "b", "c"]

    var kind: Kind
    /// The indices of the steps in the order in which their responses arrive.
    var ending: [Int]
    /// The indices of the steps whose response is a failure.
    var failing: Set<Int>

    /// Every order in which the steps of a chain or batch can finish, with every set of failing steps.
    static func all(_ kind: Kind) -> [GroupCase] {
        let inOrder = [0, 1, 2]
        let others = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        let failures: [Set<Int>] = [[], [0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]
        // The steps of a chain finish only in their own order.
        return ([inOrder] + (kind.order == .chain ? [] : others)).flatMap { ending in
            failures.map { GroupCase(kind: kind, ending: ending, failing: $0) }
        }
    }

    var description: String {
        let end = ending.map { Self.steps[$0] + (failing.contains($0) ? " fails" : "") }
        return "\(kind): \(end.joined(separator: ", "))"
    }

    // MARK: Expected results

    /// The steps whose responses are awaited, in the order of the responses. With `stop`, none after the first failure.
    var answered: [Int] {
        guard kind.mode == .stop, let first = ending.firstIndex(where: failing.contains) else { return ending }
        return Array(ending[...first])
    }

    var groupPasses: Bool { failing.isEmpty || kind.mode == .continue }

    /// The outcome of each step, in the order of the manifest.
    var outcomes: [StepOutcome] {
        let group = [0, 1, 2].map { step -> StepOutcome in
            guard answered.contains(step) else { return kind.order == .chain ? .skipped : .cancelled }
            guard failing.contains(step) else { return .passed }
            return kind.mode == .continue ? .tolerated : .failed
        }
        return group + [groupPasses ? .passed : .skipped]
    }

    /// `a:passed b:failed …`, as in the results.
    var summary: String {
        zip(Self.steps + ["z"], outcomes).map { "\($0):\($1)" }.joined(separator: " ")
    }

    var runOutcome: RunOutcome { groupPasses ? .passed : .failed }

    /// The requests that are sent, in any order.
    var sent: Set<String> {
        let group = kind.order == .chain ? answered : [0, 1, 2]
        return Set(group.map { "/" + Self.steps[$0] } + (groupPasses ? ["/z"] : []))
    }

    /// The number of responses that have arrived when each started step finishes. Cancelled steps finish with the first
    /// failure, which is the last response.
    var ends: [String: Int] {
        var ends: [String: Int] = [:]
        for (step, outcome) in zip(Self.steps + ["z"], outcomes) where outcome != .skipped {
            ends[step] = answered.count
        }
        for (place, step) in answered.enumerated() { ends[Self.steps[step]] = place + 1 }
        return ends
    }
}
