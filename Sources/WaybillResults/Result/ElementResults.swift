import WaybillJSON

/// A description of a failed element of a forEach, for people.
package struct ElementSubject: Sendable, Equatable {
    /// The start of the element's JSON text, at most `maximumCharacters` long; `nil` if it is secret.
    package var value: RedactedText?
    /// The URL of the request that failed, if one was built.
    package var url: RedactedText?

    /// The maximum length of `value`, in characters.
    package static let maximumCharacters = 80

    /// Creates a subject; see the properties.
    package init(value: RedactedText? = nil, url: RedactedText? = nil) {
        self.value = value
        self.url = url
    }

    /// Reads the subject from an event or a result.
    init(json: JSON) {
        value = json["value"]?.redactedText
        url = json["url"]?.redactedText
    }
}

extension ElementSubject: JSONStreamable {
    /// Writes `{value, url}`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("value", value)
        object.add("url", url)
    }
}

/// How the elements of a forEach finished: all are counted, and the first hundred failures are kept.
public struct ElementResults: Sendable, Equatable {
    /// The maximum number of failures that are kept.
    package static let keptFailures = 100

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
        guard let failure else { return }
        let position = failures.lastIndex { $0.index < element }.map { $0 + 1 } ?? 0
        failures.insert(ElementFailure(index: element, subject: subject, failure: failure), at: position)
        if failures.count > Self.keptFailures { failures.removeLast() }
    }

    /// Adds the results of the elements that follow.
    mutating func add(_ following: ElementResults) {
        for outcome in StepOutcome.allCases { counts[outcome] += following.counts[outcome] }
        failures = Array((failures + following.failures).prefix(Self.keptFailures))
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
    /// Writes the counts by outcome, and `failures: [{element, value, url, kind, message, …}]`.
    package func addMembers(to object: inout JSONStream) {
        counts.addMembers(to: &object)
        object.add("failures", each: failures)
    }
}

extension ElementResults.ElementFailure {
    /// Creates a failed element; see the properties.
    public init(index: Int, failure: Failure, url: RedactedText? = nil) {
        self.init(index: index, subject: ElementSubject(url: url), failure: failure)
    }
}

extension ElementResults.ElementFailure: JSONStreamable {
    /// Writes `{element, value, url, kind, message, …}`.
    package func addMembers(to object: inout JSONStream) {
        object.add("element", index)
        subject.addMembers(to: &object)
        failure.addMembers(to: &object)
    }
}
