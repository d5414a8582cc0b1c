import WaybillJSON

extension RecordSink {
    /// Where a file that was begun by an earlier process is gone on with.
    package struct Resumption: Sendable {
        /// A place between two elements, or pages, in a file.
        package struct Mark: Sendable, Equatable {
            /// The bytes before it.
            package var bytes: Int
            /// The records before it.
            package var records: RecordTally
            /// How many elements of the step, or pages, are before it.
            package var count: Int

            /// A place in a file; see the properties.
            package init(bytes: Int, records: RecordTally, count: Int) {
                self.bytes = bytes
                self.records = records
                self.count = count
            }

            /// The beginning of a file.
            package static let start = Mark(bytes: 0, records: 0, count: 0)
        }

        /// The bytes that are good.
        package private(set) var bytes: Int
        /// The records in them.
        package private(set) var records: RecordTally
        /// The first element whose records are not, or not all, in the file.
        package private(set) var element: Int
        /// What waits for its turn, by element.
        private(set) var held: [Int: Waiting]
        /// The elements from that one on that have ended.
        package private(set) var ended: Set<Int>
        /// Places before, the first one first, for a file that turns out to be shorter.
        private var marks: [Mark] = []

        /// A place to go on; see the properties.
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

        /// Adds an element that is in the file, as are all before it.
        mutating func add(element: Int, upTo bytes: Int, records: RecordTally) {
            guard element >= self.element else { return }
            self.element = element + 1
            mark(Mark(bytes: bytes, records: records, count: element + 1))
            for place in ended where place <= element {
                ended.remove(place)
                held[place] = nil
            }
        }

        /// Adds a page that is in the file. The first page is that of a new try.
        mutating func add(page: Int, upTo bytes: Int, records: RecordTally) {
            if page == 1 { marks = [] }
            mark(Mark(bytes: bytes, records: records, count: page))
        }

        private mutating func mark(_ mark: Mark) {
            (bytes, records) = (mark.bytes, mark.records)
            // Where nothing was written there is nothing to be lost.
            if marks.last?.bytes == mark.bytes { marks.removeLast() }
            marks.append(mark)
        }

        /// Adds an element that has ended before its turn came.
        mutating func hold(_ bytes: [UInt8], records: RecordTally, of element: Int) {
            guard element >= self.element else { return }
            ended.insert(element)
            if records.count > 0 { held[element] = Waiting(bytes: bytes, records: records) }
        }

        /// The last place in a file that has only so many bytes.
        func lastMark(within bytes: Int) -> Mark { marks.last { $0.bytes <= bytes } ?? .start }

        /// Goes back to a place.
        mutating func goBack(to mark: Mark) {
            marks.removeAll { $0.bytes > mark.bytes }
            (bytes, records) = (mark.bytes, mark.records)
            // Pages are all of one element, which is the first.
            element = min(element, mark.count)
        }
    }

    /// What is gone of a file that an earlier process wrote to: a system that ends takes with it what was not on the disk.
    package struct Loss: Sendable, Equatable {
        /// What is left.
        package var rest: Resumption.Mark
        /// The elements whose records are lost. They had all ended.
        package var elements: Range<Int>
    }
}

extension RecordSink.Resumption.Mark: JSONStreamable {
    /// `{count, records, aggregates, bytes}`.
    package func addMembers(to object: inout JSONStream) {
        object.add("count", count)
        records.addMembers(to: &object)
        object.add("bytes", bytes)
    }

    /// Reads what is written of it; `nil` for anything else.
    init?(json: JSON) {
        guard let count = json["count"]?.count, let records = RecordTally(json: json), let bytes = json["bytes"]?.count
        else { return nil }
        self.init(bytes: bytes, records: records, count: count)
    }
}
