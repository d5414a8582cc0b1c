package import WaybillJSON

/// How much of the files of a step was written before a run was resumed.
struct EarlierOutput: Sendable {
    /// The files that are complete and at their paths, and whether all are.
    private var committed: [RunEvent.WrittenFile] = []
    private(set) var isCommitted = false
    /// The files that were complete and about to be moved to their paths. `completed` is empty unless that is true of all.
    private var announced: [RunEvent.WrittenFile] = []
    private(set) var completed: [RunEvent.WrittenFile] = []
    private(set) var resumption = RecordFileWriter.Resumption(bytes: 0, records: 0)

    /// Whether some of several files may be at their paths, and the others are not.
    var isPartlyCommitted: Bool { completed.count > 1 && !isCommitted }

    /// The journal's record of the files, if they were complete.
    var written: [RunEvent.WrittenFile] { isCommitted ? committed : completed }

    /// Records that a file was about to be moved to its path.
    mutating func take(announced file: RunEvent.WrittenFile) {
        if file.position?.number ?? 1 == 1 { (announced, committed, isCommitted) = ([], [], false) }
        announced.append(file)
        announced[announced.count - 1].commit = nil
        if file.position?.isLast ?? true { completed = announced }
    }

    /// Records that a file is at its path.
    mutating func take(committed file: RunEvent.WrittenFile) {
        if file.position?.number ?? 1 == 1 { committed = [] }
        committed.append(file)
        isCommitted = isCommitted || file.position?.isLast ?? true
    }

    /// Records the output of an element that has finished.
    mutating func take(_ records: RecordedOutput, of element: Int) {
        switch records {
        case .written(let bytes, let checksum, let count):
            resumption.add(element: element, upTo: bytes, checksum: checksum, records: count)
        case .held(let bytes, let count):
            resumption.hold(bytes, records: count, of: element)
        }
    }

    /// Records the output of a page of the step, or of one of its elements.
    mutating func take(_ records: RecordedOutput, ofPage page: Int, of element: Int?) {
        if let element { return resumption.add(records, ofPage: page, of: element) }
        guard case .written(let bytes, let checksum, let count) = records else { return }
        resumption.add(page: page, upTo: bytes, checksum: checksum, records: count)
    }

    /// Forgets that an element finished before its turn, because it runs again.
    mutating func forget(_ element: Int) {
        resumption.forget(element)
    }

    /// Records that the end of the file was lost when an earlier run was resumed, or that the file was started again.
    ///
    /// - Returns: The elements whose records were lost.
    mutating func goBack(to mark: RecordFileWriter.Resumption.Mark) -> Range<Int> {
        let end = resumption.element
        (isCommitted, committed, announced, completed) = (false, [], [], [])
        resumption.goBack(to: mark)
        return resumption.element..<end
    }
}

/// The pages that a step had received before a run was resumed.
package struct EarlierPages: Sendable {
    /// The state of the step after a page.
    private struct Position: Sendable {
        var page = 0
        var items = 0
        var next: JSON?
        var kept = 0
    }

    /// The states before the first page and after each page.
    private var positions = [Position()]
    private var last: Position { positions[positions.count - 1] }

    /// The number of pages.
    package var count: Int { last.page }
    /// The number of items in the pages.
    package var items: Int { last.items }
    /// The value that requests the next page; `nil` if there is none.
    package var next: JSON? { last.next }
    /// The values that request the pages after the first.
    package var nextPages: [JSON] { positions.compactMap(\.next) }
    /// The items of each page, if later steps need them; `nil` if the journal does not have them all.
    private var kept: [RedactedJSON]? = []
    /// Whether the journal has all items.
    package var hasItems: Bool { kept != nil }
    /// The items that the journal has.
    package var keptItems: [JSON] {
        (kept ?? []).flatMap { ($0.value.array ?? []).map(JSON.init(markingBytes:)) }
    }
    /// The domains for which the pages set cookies.
    package private(set) var cookies: Set<String> = []

    /// Records a page.
    mutating func take(_ page: RunEvent.PageEnd) {
        // The pages of an earlier attempt no longer count.
        if page.number == 1 { self = EarlierPages() }
        goBack(to: page.number - 1)
        if let kept = page.kept { self.kept?.append(kept) } else { kept = nil }
        cookies.formUnion(page.cookies.map(\.string))
        let (items, next) = (self.items + page.items, page.nextPage?.value)
        positions.append(Position(page: page.number, items: items, next: next, kept: kept?.count ?? 0))
    }

    /// Forgets the pages after the first `count`: they must be requested again.
    package mutating func goBack(to count: Int) {
        while last.page > count { positions.removeLast() }
        if let kept { self.kept = Array(kept.prefix(last.kept)) }
    }
}
