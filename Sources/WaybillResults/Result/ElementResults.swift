/// How the elements of a forEach ended: all are counted, and the first hundred failures kept.
package struct ElementResults: Sendable, Equatable {
    /// The greatest number of failures that are kept.
    package static let keptFailures = 100

    /// One element that failed.
    package struct ElementFailure: Sendable, Equatable {
        /// The element's place in the list, from 0.
        package var element: Int
        /// The address of the request that failed, where one was built.
        package var url: RedactedText?
        /// Why it failed.
        package var failure: Failure
    }

    /// How many elements ended in each way.
    package private(set) var counts = OutcomeCounts()
    /// The first failures, by the elements' places.
    package private(set) var failures: [ElementFailure] = []

    /// No element yet.
    package init() {}

    /// Counts an element and keeps its failure if it belongs to the first; elements may come in any order.
    package mutating func add(element: Int, _ outcome: StepOutcome, _ failure: Failure?, url: RedactedText? = nil) {
        counts[outcome] += 1
        guard let failure else { return }
        let place = failures.lastIndex { $0.element < element }.map { $0 + 1 } ?? 0
        failures.insert(ElementFailure(element: element, url: url, failure: failure), at: place)
        if failures.count > Self.keptFailures { failures.removeLast() }
    }

    /// Counts elements that were not run.
    package mutating func skip(_ count: Int) {
        counts[.skipped] += count
    }

    /// Takes over counts that are known from elsewhere.
    mutating func take(counts: OutcomeCounts) {
        self.counts = counts
    }

}

extension ElementResults: JSONStreamable {
    /// The counts by outcome, and `failures: [{element, url, kind, message, …}]`.
    package func addMembers(to object: inout JSONStream) {
        counts.addMembers(to: &object)
        object.add("failures", each: failures)
    }
}

extension ElementResults.ElementFailure: JSONStreamable {
    /// `{element, url, kind, message, …}`
    package func addMembers(to object: inout JSONStream) {
        object.add("element", element)
        object.add("url", url)
        failure.addMembers(to: &object)
    }
}
