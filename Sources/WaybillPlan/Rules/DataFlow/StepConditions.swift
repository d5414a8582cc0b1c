import WaybillExpressions
import WaybillManifest

/// What is known about other steps inside a step, because its `when`, or that of an enclosing step, requires it.
struct StepConditions {
    /// A property of a step that a condition can guarantee.
    enum Question {
        /// Whether it has passed, or at least whether the value exists.
        case passed
        /// Whether the value exists, which a passed step does not guarantee.
        case present
    }

    private var requirements: [PathRequirement] = []
    /// Whether a condition has an error, so that it might require anything.
    private var areUnknown = false

    /// Returns these conditions and those of a step inside them.
    func adding(_ step: Step) -> StepConditions {
        guard step.flow?.when != nil || step.unknown.contains(.condition) else { return self }
        var inner = self
        inner.requirements += step.flow?.when?.expression.requirements ?? []
        inner.areUnknown = areUnknown || step.unknown.contains(.condition)
        return inner
    }

    /// Whether the conditions, or those before the path in its own expression, guarantee that a path starting with
    /// `steps` has the property.
    func make(_ reference: Reference, _ question: Question) -> Bool {
        areUnknown || (requirements + reference.assumptions).contains { $0.makes(reference, question) }
    }
}

extension PathRequirement {
    fileprivate func makes(_ reference: Reference, _ question: StepConditions.Question) -> Bool {
        let path = reference.segments.map(\.key)
        guard name == "steps", keys.count > 1, path.count > 1, keys[0] == path[0] else { return false }
        switch kind {
        case .isTrue: return question == .passed && keys == [path[0], .name("ok")]
        case .exists:
            switch keys[1] {
            case .name("outputs"): return keys.count > 2 && keys.prefix(3) == path.prefix(3)
            case .name("status"), .name("headers"), .name("time"):
                return [.name("status"), .name("headers"), .name("time")].contains(path[1])
            case .name("ok"), .name("error"): return false
            default: return keys[1] == path[1]
            }
        }
    }
}
