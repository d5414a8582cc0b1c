import WaybillJSON

/// A description of an element of a forEach, for people: its name and time, and if it failed also the rest.
package struct ElementSubject: Sendable, Equatable {
    /// The name that the manifest gives the element, at most `maximumCharacters` long; `nil` if it gives none.
    package var name: RedactedText?
    /// The start of the element's JSON text, at most `maximumCharacters` long; `nil` if it is secret.
    package var value: RedactedText?
    /// The URL of the request that failed, if one was built.
    package var url: RedactedText?
    /// The duration: of the request's last attempt, otherwise of the whole element; `nil` without a name or failure.
    package var time: Duration?

    /// The maximum length of `name` and `value`, in characters.
    package static let maximumCharacters = 80

    /// What identifies the element: its name or value, and the URL of its request.
    package var words: [String] { [name ?? value, url].compactMap { $0?.string } }

    /// Creates a subject; see the properties.
    package init(
        name: RedactedText? = nil,
        value: RedactedText? = nil,
        url: RedactedText? = nil,
        time: Duration? = nil
    ) {
        self.name = name?.excerpt(Self.maximumCharacters)
        self.value = value
        self.url = url
        self.time = time
    }

    /// Reads the subject from an event or a result.
    init(json: JSON) {
        name = json["name"]?.redactedText
        value = json["value"]?.redactedText
        url = json["url"]?.redactedText
        time = json["time"].flatMap(PhaseTimes.init(json:))?.total
    }
}

extension ElementSubject: JSONStreamable {
    /// Writes `{name, value, url, time}`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("name", name)
        object.add("value", value)
        object.add("url", url)
        object.add("time", time.map { PhaseTimes(total: $0) })
    }
}

/// How the elements of a forEach finished: all are counted, and the first hundred failures are kept. If the elements have
/// names, the first ten thousand elements are kept.
public struct ElementResults: Sendable, Equatable {
    /// The maximum number of failures that are kept.
    package static let keptFailures = 100
    /// The maximum number of elements with names that are kept.
    package static let keptCases = 10_000

    /// An element with a name, and how it finished.
    public struct ElementCase: Sendable, Equatable {
        /// The index of the element in the list, from 0.
        public var index: Int
        /// The name that the manifest gives the element.
        public var name: RedactedText
        /// The outcome.
        public var outcome: StepOutcome
        /// The duration: of the request's last attempt, otherwise of the whole element; `nil` if it is unknown.
        package var time: Duration?
    }

    /// A failed element.
    public struct ElementFailure: Sendable, Equatable {
        /// The index of the element in the list, from 0.
        public var index: Int
        /// A description of the element.
        package var subject: ElementSubject
        /// Why the element failed.
        public var failure: Failure

        /// The URL of the request that failed, if one was built.
        public var url: RedactedText? { subject.url }
    }

    /// The number of elements by outcome.
    public private(set) var counts = OutcomeCounts()
    /// The first failures, by the elements' indices.
    public private(set) var failures: [ElementFailure] = []
    /// The first elements with names, by their indices. Elements that were not started have none.
    public private(set) var cases: [ElementCase] = []
    /// The response times of the requests of all elements that the process which finished the step has sent; `nil` without
    /// any.
    package var responseTimes: ResponseTimes?

    /// Creates results.
    public init(counts: OutcomeCounts = OutcomeCounts(), failures: [ElementFailure] = []) {
        self.counts = counts
        self.failures = failures
    }

    /// Counts an element, and keeps its failure if it is among the first. Elements may be added in any order.
    package mutating func add(
        element: Int,
        _ outcome: StepOutcome,
        _ failure: Failure?,
        _ subject: ElementSubject = .init()
    ) {
        counts[outcome] += 1
        if let name = subject.name {
            add(ElementCase(index: element, name: name, outcome: outcome, time: subject.time))
        }
        guard let failure else { return }
        let position = failures.lastIndex { $0.index < element }.map { $0 + 1 } ?? 0
        failures.insert(ElementFailure(index: element, subject: subject, failure: failure), at: position)
        if failures.count > Self.keptFailures { failures.removeLast() }
    }

    /// Adds an element with a name, if it is among the first. It replaces one with the same index.
    mutating func add(_ element: ElementCase) {
        let position = cases.lastIndex { $0.index < element.index }.map { $0 + 1 } ?? 0
        if position < cases.count, cases[position].index == element.index {
            cases[position] = element
        } else if position < Self.keptCases {
            cases.insert(element, at: position)
            if cases.count > Self.keptCases { cases.removeLast() }
        }
    }

    /// Adds the results of the elements that follow.
    mutating func add(_ following: ElementResults) {
        for outcome in StepOutcome.allCases { counts[outcome] += following.counts[outcome] }
        responseTimes = nil
        failures = Array((failures + following.failures).prefix(Self.keptFailures))
        cases = Array((cases + following.cases).prefix(Self.keptCases))
    }

    /// Counts elements that were not run.
    package mutating func skip(_ count: Int) {
        counts[.skipped] += count
    }

    /// The number of elements.
    package var count: Int { counts.total }

    /// Whether the element at an index has certainly passed, as far as the counts and the kept failures show.
    package func hasPassed(_ element: Int) -> Bool {
        guard element < count, counts[.skipped] + counts[.cancelled] == 0 else { return false }
        // The failures with the lowest indices are kept.
        guard failures.count < Self.keptFailures || element < failures[failures.count - 1].index else { return false }
        return !failures.contains { $0.index == element }
    }

    /// Replaces the counts with known ones.
    mutating func take(counts: OutcomeCounts) {
        self.counts = counts
    }
}

extension ElementResults: JSONStreamable {
    /// Writes the counts by outcome, `failures: [{element, name, value, url, time, kind, message, …}]` and, if the
    /// elements have names, `cases: [{element, name, outcome, time}]`.
    package func addMembers(to object: inout JSONStream) {
        counts.addMembers(to: &object)
        object.add("responseTimes", responseTimes)
        object.add("failures", each: failures)
        if !cases.isEmpty { object.add("cases", each: cases) }
    }
}

extension ElementResults.ElementCase: JSONStreamable {
    /// Writes `{element, name, outcome, time}`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("element", index)
        object.add("name", name)
        object.add("outcome", outcome.rawValue)
        object.add("time", time.map { PhaseTimes(total: $0) })
    }

    /// Reads an element from JSON; `nil` for anything else.
    init?(json: JSON) {
        guard let index = json["element"]?.count, let name = json["name"]?.redactedText,
            let outcome = json["outcome"]?.string.flatMap(StepOutcome.init)
        else { return nil }
        let time = json["time"].flatMap(PhaseTimes.init(json:))?.total
        self.init(index: index, name: name, outcome: outcome, time: time)
    }
}

extension ElementResults.ElementFailure {
    /// Creates a failed element; see the properties.
    public init(index: Int, failure: Failure, url: RedactedText? = nil) {
        self.init(index: index, subject: ElementSubject(url: url), failure: failure)
    }
}

extension ElementResults.ElementFailure: JSONStreamable {
    /// Writes `{element, name, value, url, time, kind, message, …}`.
    package func addMembers(to object: inout JSONStream) {
        object.add("element", index)
        subject.addMembers(to: &object)
        failure.addMembers(to: &object)
    }
}
