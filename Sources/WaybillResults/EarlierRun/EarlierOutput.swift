package import WaybillJSON

/// How far a file of records had come before a run was resumed.
struct EarlierOutput: Sendable {
    /// Whether it is complete and in its place.
    var isCommitted = false
    /// What it consists of, where it was complete and about to be put in its place.
    var completed: RecordSink.Committed?
    /// What the journal says of the file, where it was complete.
    var written: RunEvent.WrittenFile?
    private(set) var place = RecordSink.Resumption(bytes: 0, records: 0)

    /// Takes note of the records of an element that has ended.
    mutating func take(_ records: RecordedOutput, of element: Int) {
        switch records {
        case .written(let bytes, let count):
            place.add(element: element, upTo: bytes, records: count)
        case .held(let bytes, let count):
            place.hold(bytes, records: count, of: element)
        }
    }

    /// Takes note of the records of a page.
    mutating func take(_ records: RecordedOutput, ofPage page: Int) {
        if case .written(let bytes, let count) = records { place.add(page: page, upTo: bytes, records: count) }
    }

    /// Takes note of a file that was shorter when it was gone on with.
    ///
    /// - Returns: the elements whose records were lost.
    mutating func goBack(to mark: RecordSink.Resumption.Mark) -> Range<Int> {
        let end = place.element
        completed = nil
        place.goBack(to: mark)
        return place.element..<end
    }
}

/// The pages that a step had had before a run was resumed.
package struct EarlierPages: Sendable {
    /// The step after a page.
    private struct Place: Sendable {
        var page = 0
        var items = 0
        var next: JSON?
        var kept = 0
    }

    /// The step after each page, and before the first.
    private var places = [Place()]
    private var last: Place { places[places.count - 1] }

    /// How many.
    package var count: Int { last.page }
    /// How many items they had.
    package var items: Int { last.items }
    /// What asks for the next page; `nil` when there is none.
    package var next: JSON? { last.next }
    /// The items, where later steps need them; `nil` when the journal does not have them all.
    package private(set) var kept: [JSON]? = []
    /// The domains whose cookies they set.
    package private(set) var cookies: Set<String> = []

    /// Takes note of a page.
    mutating func take(_ page: Int, _ event: JSON) {
        // The pages of an earlier try do not count any more.
        if page == 1 { self = EarlierPages() }
        if let kept = event["kept"]?.array { self.kept? += kept } else { kept = nil }
        cookies.formUnion(event["cookies"]?.array?.compactMap(\.string) ?? [])
        let items = self.items + (event["items"]?.count ?? 0)
        places.append(Place(page: page, items: items, next: event["next"], kept: kept?.count ?? 0))
    }

    /// Forgets the pages behind so many: they have to be asked for again.
    package mutating func goBack(to count: Int) {
        places.removeAll { $0.page > count }
        if let kept { self.kept = Array(kept.prefix(last.kept)) }
    }
}

extension JSON {
    /// A number of things in a journal: not negative, and small enough to be added up.
    var count: Int? {
        guard let count = number?.int, (0...(1 << 40)).contains(count) else { return nil }
        return count
    }
}

extension RunEvent.WrittenFile {
    /// The file that a line of the journal says is complete; `nil` where the line is not whole.
    init?(json: JSON) {
        guard let path = json["path"]?.string, let records = json["records"]?.count, let bytes = json["bytes"]?.count
        else { return nil }
        // The journal has no secrets.
        self.init(
            path: Redactor().text(path),
            table: json["table"]?.string,
            records: records,
            bytes: bytes,
            aggregates: json["aggregates"].map { Redactor().json($0) }
        )
    }
}
