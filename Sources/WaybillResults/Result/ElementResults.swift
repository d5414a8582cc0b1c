import WaybillJSON

/// What an element of a forEach that failed is, for a person.
package struct ElementSubject: Sendable, Equatable {
    /// The start of its JSON text, of at most `maximumCharacters`; `nil` if it is secret.
    package var value: RedactedText?
    /// The URL of the request that failed, if one was built.
    package var url: RedactedText?

    /// The maximum length of `value`.
    package static let maximumCharacters = 80

    /// A subject; see the properties.
    package init(value: RedactedText? = nil, url: RedactedText? = nil) {
        self.value = value
        self.url = url
    }

    /// The subject that an event or a result has.
    init(json: JSON, _ redactor: Redactor) {
        value = json["value"]?.string.map { redactor.text($0) }
        url = json["url"]?.string.map { redactor.text($0) }
    }
}

extension ElementSubject: JSONStreamable {
    /// `{value, url}`, without what is unknown.
    package func addMembers(to object: inout JSONStream) {
        object.add("value", value)
        object.add("url", url)
    }
}

/// How the elements of a forEach ended: all are counted, and the first hundred failures kept.
package struct ElementResults: Sendable, Equatable {
    /// The greatest number of failures that are kept.
    package static let keptFailures = 100

    /// One element that failed.
    package struct ElementFailure: Sendable, Equatable {
        /// The element's index in the list, from 0.
        package var element: Int
        /// What the element is.
        package var subject: ElementSubject
        /// Why it failed.
        package var failure: Failure

        /// A failed element; see the properties.
        package init(element: Int, subject: ElementSubject, failure: Failure) {
            self.element = element
            self.subject = subject
            self.failure = failure
        }
    }

    /// How many elements ended in each way.
    package private(set) var counts = OutcomeCounts()
    /// The first failures, by the elements' places.
    package private(set) var failures: [ElementFailure] = []

    /// No element yet.
    package init() {}

    /// Counts an element and keeps its failure if it belongs to the first; elements may come in any order.
    package mutating func add(
        element: Int,
        _ outcome: StepOutcome,
        _ failure: Failure?,
        _ subject: ElementSubject = .init()
    ) {
        counts[outcome] += 1
        guard let failure else { return }
        let place = failures.lastIndex { $0.element < element }.map { $0 + 1 } ?? 0
        failures.insert(ElementFailure(element: element, subject: subject, failure: failure), at: place)
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
    /// The counts by outcome, and `failures: [{element, value, url, kind, message, …}]`.
    package func addMembers(to object: inout JSONStream) {
        counts.addMembers(to: &object)
        object.add("failures", each: failures)
    }
}

extension ElementResults.ElementFailure: JSONStreamable {
    /// `{element, value, url, kind, message, …}`
    package func addMembers(to object: inout JSONStream) {
        object.add("element", element)
        subject.addMembers(to: &object)
        failure.addMembers(to: &object)
    }
}
