import Synchronization
import Testing
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlatform
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillResults

@Suite(.timeLimit(.minutes(5))) struct RecordFileWriterTests {
    private let folder = TemporaryFolder()

    private func writer(_ name: String, _ format: any RecordWriter) throws -> RecordFileWriter {
        try RecordFileWriter("\(folder.path)/\(name)", format, thread: FileThread())
    }

    private func records(_ texts: String...) throws -> [RedactedJSON] {
        try texts.map { Samples.redactor.json(try JSONParser().parse(Array($0.utf8))) }
    }

    private static let values = [#"{"a":1,"b":"x, \"y\""}"#, #"{"b":[1,{"c":null}]}"#, #""hunter2""#]

    @Test(
        arguments: [
            (NDJSONFormat(), "{\"a\":1,\"b\":\"x, \\\"y\\\"\"}\n{\"b\":[1,{\"c\":null}]}\n\"***\"\n", ""),
            (JSONFormat(), "[\n{\"a\":1,\"b\":\"x, \\\"y\\\"\"},\n{\"b\":[1,{\"c\":null}]},\n\"***\"\n]\n", "[]\n"),
            (
                CSVFormat(columns: ["b", "value"]),
                "b,value\r\n\"x, \"\"y\"\"\",\r\n\"[1,{\"\"c\"\":null}]\",\r\n,***\r\n", "b,value\r\n"
            ), (RawFormat(), "{\"a\":1,\"b\":\"x, \\\"y\\\"\"}\n{\"b\":[1,{\"c\":null}]}\n***", ""),
        ] as [(any RecordWriter, String, String)]
    )
    func `records are written correctly in each format, even if they had to wait`(
        format: any RecordWriter,
        expected: String,
        empty: String
    ) async throws {
        let records = try Self.values.map { try self.records($0)[0] }
        let straight = try writer("straight", format)
        try straight.append(records)
        _ = try await straight.commit()
        #expect(folder.read("straight") == expected)

        let waiting = try writer("waiting", format)
        for element in [2, 0, 1] {
            try waiting.append([records[element]], of: element)
            _ = try waiting.end(element, .kept)
        }
        let committed = try await waiting.commit()
        #expect(folder.read("waiting") == expected)
        var checksum = CRC32()
        checksum.add(Array(expected.utf8)[...])
        #expect(committed == .init(records: 3, bytes: expected.utf8.count, checksum: checksum.value))

        _ = try await writer("empty", format).commit()
        #expect(folder.read("empty") == empty)
        #expect(folder.names() == ["straight", "waiting", "empty"])
    }

    @Test(
        arguments: [(NDJSONFormat(), "[1]\n[2]\n"), (CSVFormat(), "value\r\n[1]\r\n[2]\r\n")]
            as [(any RecordWriter, String)]
    )
    func `records of a step whose time has passed are not added, and others still are`(
        format: any RecordWriter,
        expected: String
    ) async throws {
        let writer = try writer("a", format)
        try writer.append(records("[1]"), of: 0)
        _ = try writer.end(0, .kept)
        let many = try (0..<3000).flatMap { _ in try records("[3]") }
        await WorkLimit.limited({ true }) {
            for element in [1, 2] {
                let error = #expect(throws: ResultsError.self) { try writer.append(many, of: element) }
                #expect(error?.wasStopped == true)
            }
        }
        #expect(writer.error == nil)
        try writer.append(records("[2]"), of: 1)
        _ = try await writer.commit()
        #expect(folder.read("a") == expected)
    }

    @Test func `bytes are written unchanged in a raw file, and as base64 in other formats`() async throws {
        let record = Samples.redactor.json(.bytes([0xFF, 0x00]))
        for (name, format) in [("raw", RawFormat()), ("lines", NDJSONFormat()), ("rows", CSVFormat())]
            as [(String, any RecordWriter)]
        {
            let writer = try writer(name, format)
            try writer.append([record])
            _ = try await writer.commit()
        }
        #expect(TemporaryFolder.contents(of: "\(folder.path)/raw") == [0xFF, 0x00])
        #expect(folder.read("lines") == "\"/wA=\"\n")
        #expect(folder.read("rows") == "value\r\n/wA=\r\n")
    }

    @Test func `the first record has the columns of a CSV file, and later ones may lack some`() async throws {
        let all = try records(#"{"a":1,"b":"x, \"y\""}"#, #"{"b":[1,{"c":null}]}"#, "{}")
        for order in [[0, 1, 2], [2, 0, 1]] {
            let writer = try writer("a", CSVFormat())
            for element in order {
                try writer.append([all[element]], of: element)
                _ = try writer.end(element, .kept)
            }
            _ = try await writer.commit()
            #expect(folder.read("a") == "a,b\r\n1,\"x, \"\"y\"\"\"\r\n,\"[1,{\"\"c\"\":null}]\"\r\n,\r\n")
        }
    }

    @Test(arguments: [
        (#"{"a":2,"é":3}"#, #"the record {"a":2,"é":3} also has 'é'"#), ("5", "the record 5 is not an object"),
        ("null", "the record null is not an object"),
    ])
    func `a record that would lose a member in a CSV file is an error, even if it had to wait`(
        record: String,
        difference: String
    ) async throws {
        let all = try records(#"{"a":1}"#, record, #"{"a":3}"#)
        let reason = "the columns are the members of the first record, but \(difference); 'columns' chooses the columns"
        let message = "cannot write '\(folder.path)/a': \(reason)"

        let failures = Mutex(0)
        let straight = try RecordFileWriter(
            "\(folder.path)/a",
            CSVFormat(),
            thread: FileThread(),
            onFailure: { _ in failures.withLock { $0 += 1 } }
        )
        #expect(throws: ResultsError(message, .record)) { try straight.append(all) }
        #expect(throws: ResultsError(message, .record)) { try straight.append([all[2]]) }
        #expect(failures.withLock { $0 } == 0)

        let waiting = try writer("a", CSVFormat())
        try waiting.append([all[1]], of: 1)
        _ = try waiting.end(1, .kept)
        try waiting.append([all[0]], of: 0)
        #expect(throws: ResultsError(message, .record)) { try waiting.end(0, .kept) }
        await #expect(throws: ResultsError(message, .record)) { try await waiting.commit() }
    }

    @Test func `an unfinished file is written by one run at a time`() async throws {
        let first = try writer("a.ndjson", NDJSONFormat())
        try first.append(try records(#"{"a":1}"#))
        let error = #expect(throws: ResultsError.self) {
            try RecordFileWriter(
                "\(folder.path)/a.ndjson",
                NDJSONFormat(),
                from: RecordFileWriter.Resumption(bytes: 0, records: 0),
                thread: FileThread()
            )
        }
        let part = "\(folder.path)/a.ndjson.part"
        #expect(error?.description == "cannot write to '\(part)': another process is writing to it")
        _ = try await first.commit()
        #expect(folder.read("a.ndjson") == "{\"a\":1}\n")
    }

    @Test func `a copy of a run that starts the same file while it is written does not take it`() async throws {
        let path = "\(folder.path)/a.ndjson"
        let run = RunID()
        func writer() throws -> RecordFileWriter {
            try RecordFileWriter(path, NDJSONFormat(), ownedBy: run, thread: FileThread())
        }
        let first = try writer()
        try first.append(try records(#"{"a":1}"#))
        let error = #expect(throws: ResultsError.self) { try writer() }
        #expect(error?.description == "cannot write to '\(path).\(run).part': another process is writing to it")
        _ = try await first.commit()
        #expect(folder.read("a.ndjson") == "{\"a\":1}\n")
        folder.write("unfinished", to: "a.ndjson.\(run).part")
        _ = try await writer().commit()
        #expect(folder.read("a.ndjson") == "")
    }

    @Test func `a file appears only when it is complete, and then replaces an earlier one`() async throws {
        folder.write("old", to: "a.ndjson")
        folder.write("unfinished", to: "a.ndjson.part")
        let writer = try writer("a.ndjson", NDJSONFormat())
        try writer.append(try records("1"))
        #expect(folder.read("a.ndjson") == "old")
        #expect(folder.read("a.ndjson.part") == "1\n")
        _ = try await writer.commit()
        #expect(folder.read("a.ndjson") == "1\n")
        #expect(folder.names() == ["a.ndjson"])
    }

    @Test func `the journal records how far the file is written, or the records that wait`() throws {
        let writer = try writer("a", NDJSONFormat())
        #expect(try writer.append(records("20"), of: 1) == .held(Array("20\n".utf8), records: 1))
        #expect(try writer.append(records("21"), of: 1) == .held(Array("21\n".utf8), records: 1))
        #expect(try writer.end(1, .kept) == .held(Array("20\n21\n".utf8), records: 2))
        #expect(try writer.append(records("10"), of: 0) == written("10\n", records: 1))
        #expect(try writer.end(0, .kept) == written("10\n", records: 1))
        #expect(folder.read("a.part") == "10\n20\n21\n")
        #expect(try writer.append(records("30"), of: 2) == written("10\n20\n21\n30\n", records: 4))
    }

    @Test(arguments: [
        RecordedOutput.written(upTo: 7, checksum: .max, records: 2), .written(upTo: 7, checksum: nil, records: 2),
        .held(Array("1\n".utf8), records: 1), .held([0xFF], records: 1), .held([], records: 0),
    ])
    func `an entry for the journal can be read back`(output: RecordedOutput) {
        #expect(RecordedOutput(output.json) == output)
    }

    @Test func `the records of a failed element are discarded`() async throws {
        let writer = try writer("a", JSONFormat())
        try writer.append(records("10"), of: 0)
        try writer.append(records("20"), of: 1)
        #expect(try writer.end(1, .without) == .held([], records: 0))
        try writer.append(records("11", "12"), of: 0)
        #expect(try writer.end(0, .without) == written("", records: 0))
        try writer.append(records("30"), of: 2)
        try writer.append(records("40"), of: 3)
        try writer.removeRecords(2)
        try writer.removeRecords(3)
        try writer.append(records("31"), of: 2)
        try writer.append(records("41"), of: 3)
        #expect(try writer.end(2, .kept) == written("[\n31", records: 1))
        _ = try writer.end(3, .kept)
        #expect(try await writer.commit().records == 2)
        #expect(folder.read("a") == "[\n31,\n41\n]\n")
    }

    @Test func `the columns come from the first record that is kept`() async throws {
        let writer = try writer("a", CSVFormat())
        try writer.append(records(#"{"x":1}"#), of: 0)
        _ = try writer.end(0, .without)
        try writer.append(records(#"{"y":1}"#), of: 1)
        _ = try await writer.commit()
        #expect(folder.read("a") == "y\r\n1\r\n")
    }

    @Test(
        arguments: [
            NDJSONFormat(), JSONFormat(), CSVFormat(), CSVFormat(columns: ["n", "s"]),
            CSVFormat(columns: nil, escapesFormulas: true),
        ] as [any RecordWriter]
    )
    func `a resumed file continues at the position in the journal`(format: any RecordWriter) async throws {
        let all = try records(#"{"n":1,"=s":"a\nb"}"#, #"{"n":2}"#, #"{"n":3}"#, #"{"n":4}"#)
        let whole = try writer("whole", format)
        try whole.append(all)
        _ = try await whole.commit()

        let first = try writer("cut", format)
        try first.append([all[0]], of: 0)
        guard case .written(let bytes, _, let records) = try first.end(0, .kept),
            case .held(let held, let count) = try first.append([all[2]], of: 2)
        else {
            Issue.record("the first element is in the file, the third waits")
            return
        }
        try first.append([all[1]], of: 1)
        let place = RecordFileWriter.Resumption(
            bytes: bytes,
            records: records,
            element: 1,
            held: [2: (held, count)],
            ended: [2]
        )
        let before = folder.read("cut.part")
        #expect(link("\(folder.path)/cut.part", "\(folder.path)/copy") == 0)
        _ = consume first
        let second = try RecordFileWriter("\(folder.path)/cut", format, from: place, thread: FileThread())
        try second.append([all[1]], of: 1)
        _ = try second.end(1, .kept)
        try second.append([all[3]], of: 3)
        #expect(try await second.commit().records == 4)
        #expect(folder.read("cut") == folder.read("whole"))
        #expect(folder.read("copy") == before)
    }

    @Test(arguments: [NDJSONFormat(), JSONFormat(), CSVFormat(), RawFormat()] as [any RecordWriter])
    func `a truncated or zeroed file continues after its last complete element`(
        format: any RecordWriter
    ) async throws {
        let all = try records(#"{"n":1,"s":"a\nb"}"#, #"{"n":2}"#, #"{"n":3}"#, #"{"n":4}"#)
        let whole = try writer("whole", format)
        var place = RecordFileWriter.Resumption(bytes: 0, records: 0)
        var marks = [RecordFileWriter.Resumption.Mark.start]
        for (element, record) in all.enumerated() {
            try whole.append([record], of: element)
            guard case .written(let bytes, let checksum, let records) = try whole.end(element, .kept) else {
                Issue.record("the records of element \(element) are held")
                return
            }
            place.add(element: element, upTo: bytes, checksum: checksum, records: records)
            marks.append(.init(bytes: bytes, records: records, count: element + 1, checksum: checksum))
        }
        let bytes = try #require(TemporaryFolder.contents(of: "\(folder.path)/whole.part"))
        _ = try await whole.commit()

        for size in Set(marks.flatMap { [$0.bytes - 1, $0.bytes, $0.bytes + 1] }).intersection(0..<bytes.count) {
            let left = try #require(marks.lastIndex { $0.bytes <= size })
            // A file system that has stored the length before the content fills the rest with zeros.
            for rest in [0, bytes.count - size] {
                folder.write(bytes.prefix(size) + [UInt8](repeating: 0, count: rest), to: "cut.part")
                let writer = try RecordFileWriter("\(folder.path)/cut", format, from: place, thread: FileThread())
                #expect(writer.loss == .init(rest: marks[left], elements: left..<4))
                for element in left..<4 {
                    try writer.append([all[element]], of: element)
                    _ = try writer.end(element, .kept)
                }
                #expect(try await writer.commit().records == 4)
                #expect(folder.read("cut") == folder.read("whole"), "\(size)")
            }
        }
    }

    @Test(arguments: [(11, 3), (10, 2), (7, 1), (1, 1)])
    func `a file continues after the pages of elements that had not finished`(size: Int, pages: Int) async throws {
        let whole = try writer("whole", NDJSONFormat())
        var place = RecordFileWriter.Resumption(bytes: 0, records: 0)
        // The pages that wait are in the journal, so they are not lost with the file.
        place.add(try whole.append(records("10"), of: 1), ofPage: 1, of: 1)
        place.add(try whole.append(records("20"), of: 2), ofPage: 1, of: 2)
        try whole.append(records("1"))
        guard case .written(let bytes, let checksum, let count) = try whole.end(0, .kept) else {
            Issue.record("the records of the first element are held")
            return
        }
        place.add(element: 0, upTo: bytes, checksum: checksum, records: count)
        place.add(try whole.append(records("11"), of: 1), ofPage: 2, of: 1)
        place.add(try whole.append(records("12"), of: 1), ofPage: 3, of: 1)
        let content = try #require(TemporaryFolder.contents(of: "\(folder.path)/whole.part"))
        folder.write(Array(content.prefix(size)), to: "cut.part")

        let writer = try RecordFileWriter("\(folder.path)/cut", NDJSONFormat(), from: place, thread: FileThread())
        #expect(writer.continuedPages == [1: pages, 2: 1])
        if let loss = writer.loss {
            for element in loss.elements {
                try writer.append(records("1"), of: element)
                _ = try writer.end(element, .kept)
            }
        }
        for page in pages..<4 { try writer.append(records("1\(page)"), of: 1) }
        _ = try writer.end(1, .kept)
        try writer.removeRecords(2)
        try writer.append(records("21"), of: 2)
        _ = try writer.end(2, .kept)
        #expect(try await writer.commit().records == 6)
        #expect(folder.read("cut") == "1\n10\n11\n12\n13\n21\n")
    }

    @Test func `a file is accepted by its length if the journal has no checksum, and then receives one`() throws {
        folder.write("1\n2\n", to: "a.part")
        var place = RecordFileWriter.Resumption(bytes: 0, records: 0)
        place.add(element: 0, upTo: 4, checksum: nil, records: 2)
        let writer = try RecordFileWriter("\(folder.path)/a", NDJSONFormat(), from: place, thread: FileThread())
        #expect(writer.loss == nil)
        #expect(try writer.append(records("3"), of: 1) == written("1\n2\n3\n", records: 3))
        try writer.removeRecords(1)
        #expect(try writer.append(records("4"), of: 1) == written("1\n2\n4\n", records: 3))
    }

    @Test func `pages from before a resumption are discarded together with later pages`() async throws {
        let first = try writer("a", JSONFormat())
        try first.append(records("1"))
        var place = RecordFileWriter.Resumption(bytes: 0, records: 0)
        place.add(page: 1, upTo: 3, checksum: nil, records: 1)
        _ = consume first
        let second = try RecordFileWriter("\(folder.path)/a", JSONFormat(), from: place, thread: FileThread())
        #expect(second.loss == nil)
        try second.append(records("2"))
        try second.removeRecords()
        try second.append(records("3"))
        _ = try await second.commit()
        #expect(folder.read("a") == "[\n3\n]\n")
    }

    @Test func `an element that waits is written when its turn comes`() async throws {
        let writer = try writer("a", RawFormat())
        let large = Samples.redactor.json(.string(String(repeating: "x", count: 17 << 20)))
        try writer.append([large], of: 1)
        #expect(!writer.hasRoom)
        async let room: Void = writer.room(for: 2)
        async let cancelled = Task { await writer.room(for: 3) }
        await cancelled.cancel()
        await cancelled.value
        _ = try writer.end(0, .kept)
        await room
        #expect(writer.hasRoom)
        #expect(try await writer.commit().bytes == 17 << 20)
    }
}

/// What the journal records about a file with this content.
private func written(_ text: String, records: Int) -> RecordedOutput {
    var checksum = CRC32()
    checksum.add(Array(text.utf8)[...])
    return .written(upTo: text.utf8.count, checksum: checksum.value, records: RecordTally(records))
}
