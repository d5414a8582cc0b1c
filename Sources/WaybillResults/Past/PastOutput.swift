package import WaybillData

/// How far a file of records had come before a run was resumed.
struct PastOutput: Sendable {
    /// Whether it is complete and in its place.
    var isCommitted = false
    private(set) var place = RecordSink.Resumption(bytes: 0, records: 0)

    /// Takes note of the records of an element that has ended.
    mutating func take(_ records: RecordedOutput, of element: Int) {
        switch records {
        case .written(let bytes, let count):
            guard element >= place.element else { return }
            (place.bytes, place.records, place.element) = (bytes, count, element + 1)
            place.forget(before: element + 1)
        case .held(let bytes, let count):
            place.hold(bytes, records: count, of: element)
        }
    }

    /// Takes note of the records of a page.
    mutating func take(_ records: RecordedOutput) {
        if case .written(let bytes, let count) = records { (place.bytes, place.records) = (bytes, count) }
    }
}

/// The pages that a step had had before a run was resumed.
package struct PastPages: Sendable {
    /// How many.
    package private(set) var count = 0
    /// How many items they had.
    package private(set) var items = 0
    /// What asks for the next page; `nil` when there is none.
    package private(set) var next: JSON?
    /// The items, where later steps need them; `nil` when the journal does not have them all.
    package private(set) var kept: [JSON]? = []

    /// Takes note of a page.
    mutating func take(_ page: Int, _ event: JSON) {
        // The pages of an earlier try do not count any more.
        if page == 1 { self = PastPages() }
        count = page
        items += event["items"]?.number?.int ?? 0
        next = event["next"]
        if let kept = event["kept"]?.array { self.kept? += kept } else { kept = nil }
    }
}
