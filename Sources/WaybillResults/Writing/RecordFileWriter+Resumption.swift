import WaybillJSON

extension RecordFileWriter {
    /// Where a file that an earlier process started is continued.
    package struct Resumption: Sendable {
        /// A position between two elements, or pages, in a file.
        package struct Mark: Sendable, Equatable {
            /// The number of bytes before the position.
            package var bytes: Int
            /// The records before the position.
            package var records: RecordTally
            /// The number of elements of the step, or pages, before the position.
            package var count: Int
            /// The CRC-32 of the bytes before the position; `nil` if the journal is of an older version.
            package var checksum: UInt32?

            /// The start of a file.
            package static let start = Mark(bytes: 0, records: 0, count: 0, checksum: 0)

            /// Creates a position; see the properties.
            package init(bytes: Int, records: RecordTally, count: Int, checksum: UInt32?) {
                self.bytes = bytes
                self.records = records
                self.count = count
                self.checksum = checksum
            }
        }

        /// The number of valid bytes.
        package private(set) var bytes: Int
        /// The records in the valid bytes.
        package private(set) var records: RecordTally
        /// The first element whose records are not completely in the file.
        package private(set) var element: Int
        /// The records waiting for their turn, by element.
        private(set) var held: [Int: Waiting]
        /// The elements from `element` on that have finished.
        package private(set) var ended: Set<Int>
        /// Earlier positions in order, for a file whose end turns out to be lost.
        private(set) var marks: [Mark] = []
        /// The positions in the file after pages of elements that had not finished, by element. Their counts are the
        /// numbers of the pages.
        private var pages: [Int: [Mark]] = [:]

        /// The end of the valid part of the file, if it is after pages of the element that follows.
        var endOfPages: Mark? { pages[element]?.last }

        /// How many pages of each element that had not finished are in the file, or wait for their turn.
        var pageCounts: [Int: Int] {
            var counts = held.mapValues(\.pages)
            if let endOfPages { counts[element] = endOfPages.count }
            return counts
        }

        /// Creates a point to continue from; see the properties.
        package init(
            bytes: Int,
            records: RecordTally,
            element: Int = 0,
            held: [Int: (bytes: [UInt8], records: RecordTally)] = [:],
            ended: Set<Int> = []
        ) {
            self.bytes = bytes
            self.records = records
            self.element = element
            self.held = held.mapValues { Waiting(bytes: $0.bytes, records: $0.records) }
            self.ended = ended
        }

        /// Creates a point to continue from at the end of a file that is complete.
        package init(at end: Mark) {
            self.init(bytes: end.bytes, records: end.records)
            marks = [end]
        }

        /// Adds an element that is in the file, as are all before it.
        mutating func add(element: Int, upTo bytes: Int, checksum: UInt32?, records: RecordTally) {
            guard element >= self.element else { return }
            self.element = element + 1
            mark(Mark(bytes: bytes, records: records, count: element + 1, checksum: checksum))
            (pages[element], held[element]) = (nil, nil)
            for end in ended where end <= element {
                ended.remove(end)
                held[end] = nil
            }
        }

        /// Adds a page that is in the file. The first page starts a new attempt.
        mutating func add(page: Int, upTo bytes: Int, checksum: UInt32?, records: RecordTally) {
            if page == 1 { marks = [] }
            mark(Mark(bytes: bytes, records: records, count: page, checksum: checksum))
        }

        /// Adds a page of an element that has not finished. The first page starts a new attempt.
        mutating func add(_ records: RecordedOutput, ofPage page: Int, of element: Int) {
            guard element >= self.element else { return }
            if page == 1 { held[element] = nil }
            while pages[element]?.last.map({ $0.count >= page }) ?? false { pages[element]?.removeLast() }
            switch records {
            case .written(let bytes, let checksum, let records):
                let mark = Mark(bytes: bytes, records: records, count: page, checksum: checksum)
                pages[element, default: []].append(mark)
            case .held(let bytes, let records):
                held[element, default: Waiting()].bytes += bytes
                held[element]?.records += records
                held[element]?.pages = page
            }
        }

        private mutating func mark(_ mark: Mark) {
            (bytes, records) = (mark.bytes, mark.records)
            // If nothing was written, there is nothing to lose.
            if marks.last?.bytes == mark.bytes { marks.removeLast() }
            marks.append(mark)
        }

        /// Adds an element that finished before its turn.
        mutating func hold(_ bytes: [UInt8], records: RecordTally, of element: Int) {
            guard element >= self.element else { return }
            ended.insert(element)
            held[element] = records.count > 0 ? Waiting(bytes: bytes, records: records) : nil
        }

        /// Forgets that an element finished before its turn, because it runs again.
        mutating func forget(_ element: Int) {
            ended.remove(element)
            held[element] = nil
        }

        /// Returns the last position up to which a file has the bytes that were written to it, with their checksum.
        func lastMark(intactIn path: String) throws(ResultsError) -> Mark {
            let file = try InputFile(path)
            var (intact, checksum, position) = (Mark.start, CRC32(), 0)
            var piece: ArraySlice<UInt8> = []
            let end = Mark(bytes: bytes, records: records, count: element, checksum: nil)
            for var mark in marks + [end] + (pages[element] ?? []) {
                while position < mark.bytes {
                    if piece.isEmpty { piece = try file.next(256 * 1024)[...] }
                    let part = piece.prefix(mark.bytes - position)
                    guard !part.isEmpty else { return intact }
                    checksum.add(part)
                    position += part.count
                    piece = piece.dropFirst(part.count)
                }
                guard mark.checksum == nil || mark.checksum == checksum.value else { return intact }
                mark.checksum = checksum.value
                if mark.bytes >= bytes { mark.count = element }
                intact = mark
            }
            return intact
        }

        /// Goes back to a position.
        mutating func goBack(to mark: Mark) {
            marks.removeAll { $0.bytes > mark.bytes }
            pages[element]?.removeAll { $0.bytes > mark.bytes }
            if mark.bytes < bytes { (bytes, records) = (mark.bytes, mark.records) }
            // All pages belong to one element, the first.
            element = min(element, mark.count)
        }
    }

    /// The part of a file that is lost, because an earlier process wrote it but the system stopped before it was on the
    /// disk. The file is shorter, or has other bytes there.
    package struct Loss: Sendable, Equatable {
        /// What remains of the file.
        package var rest: Resumption.Mark
        /// The elements whose records are lost. They had all finished.
        package var elements: Range<Int>
    }
}

extension RecordFileWriter.Resumption.Mark: JSONStreamable {
    /// Writes `{count, records, aggregates, bytes, crc32}`.
    package func addMembers(to object: inout JSONStream) {
        object.add("count", count)
        records.addMembers(to: &object)
        object.add("bytes", bytes)
        object.add("crc32", checksum.map(Int.init))
    }

    /// Reads a position from JSON; `nil` for anything else.
    init?(json: JSON) {
        guard let count = json["count"]?.count, let records = RecordTally(json: json), let bytes = json["bytes"]?.count
        else { return nil }
        self.init(bytes: bytes, records: records, count: count, checksum: json.crc32)
    }
}
