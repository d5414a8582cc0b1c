import Synchronization
import Testing
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlatform
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillResults

/// Files of records that are compressed or loaded into a database once they are complete.
@Suite(.timeLimit(.minutes(5))) struct RecordContainerTests {
    private let folder = TemporaryFolder()

    private func records(_ texts: String...) throws -> [RedactedJSON] {
        try texts.map { Samples.redactor.json(try JSONParser().parse(Array($0.utf8))) }
    }

    private func write(
        _ records: [RedactedJSON],
        to name: String = "shop.sqlite",
        _ format: any RecordWriter = SQLiteFormat(),
        in container: RecordContainer
    ) async throws -> RecordFileWriter.Committed {
        let writer = try RecordFileWriter("\(folder.path)/\(name)", format, in: container, thread: FileThread())
        try writer.append(records)
        return try await writer.commit()
    }

    private func orders(
        _ columns: [String]? = nil,
        key: [String] = ["id"],
        wait: Int = 10
    ) -> RecordContainer { .table(SQLiteTable("orders", key: key, columns: columns, wait: wait)) }

    private func query(_ sql: String, _ file: String = "shop.sqlite") async throws -> String {
        let result = try await Command.run("/usr/bin/env", ["sqlite3", "\(folder.path)/\(file)", sql])
        #expect(result.errorText.isEmpty)
        return result.outputText
    }

    // MARK: gzip

    @Test(arguments: [0, 1, 200_000])
    func `gzip can read a compressed file`(count: Int) async throws {
        let records = (0..<count).map { Samples.redactor.json(["n": .number(JSONNumber($0))]) }
        let committed = try await write(records, to: "a.ndjson.gz", NDJSONFormat(), in: .gzip)
        #expect(committed.bytes == TemporaryFolder.contents(of: "\(folder.path)/a.ndjson.gz")?.count)
        #expect(folder.names() == ["a.ndjson.gz"])
        let checked = try await Command.run("/usr/bin/env", ["gzip", "-t", "\(folder.path)/a.ndjson.gz"])
        #expect(checked.status == 0)
        let plain = try await Command.run("/usr/bin/env", ["gzip", "-dc", "\(folder.path)/a.ndjson.gz"])
        #expect(plain.output == Array((0..<count).map { "{\"n\":\($0)}\n" }.joined().utf8))
    }

    @Test func `a file is not compressed after the time of the step`() async throws {
        let writer = try RecordFileWriter("\(folder.path)/a.ndjson.gz", NDJSONFormat(), in: .gzip, thread: FileThread())
        try writer.append(records("1"))
        let error = await #expect(throws: ResultsError.self) { try await writer.commit(until: { true }) }
        #expect(error?.wasStopped == true)
        #expect(folder.names() == ["a.ndjson.gz.part"])
    }

    @Test func `a load that was cancelled leaves the database unchanged`() async throws {
        _ = try await write(records(#"{"id":1}"#), in: orders())
        let path = "\(folder.path)/shop.sqlite"
        let writer = try RecordFileWriter(path, SQLiteFormat(), in: orders(), thread: FileThread())
        try writer.append(records(#"{"id":2}"#))
        let error = await #expect(throws: ResultsError.self) { try await writer.commit(orUntil: { true }) }
        #expect(error?.wasStopped == true)
        #expect(try await query("SELECT id FROM orders") == "1\n")
    }

    @Test func `a database with another hard link is not changed`() async throws {
        _ = try await write(records(#"{"id":1}"#), in: orders())
        let path = "\(folder.path)/shop.sqlite"
        #expect(link(path, "\(folder.path)/copy.sqlite") == 0)
        let error = await #expect(throws: ResultsError.self) {
            try await write(records(#"{"id":2}"#), in: orders())
        }
        #expect(error?.description.hasPrefix("cannot open '\(path)': it has another hard link") == true)
        #expect(try await query("SELECT id FROM orders", "copy.sqlite") == "1\n")
    }

    @Test(arguments: [
        ("true", "1"), ("12345678901234567890", "\"12345678901234567890\""), ("[1]", "\"[1]\""), ("\"{}\"", "{}"),
    ])
    func `keys that SQLite would store as one are refused`(first: String, second: String) async throws {
        let error = await #expect(throws: ResultsError.self) {
            try await write(records("{\"id\":\(first)}", "{\"id\":\(second)}"), in: orders())
        }
        #expect(error?.description.contains("which SQLite may store in the same way") == true)
        _ = try await write(records(#"{"id":"1"}"#, #"{"id":1}"#, #"{"id":1.5}"#, #"{"id":"1.5"}"#), in: orders())
        #expect(try await query("SELECT count(*) FROM orders") == "4\n")
    }

    @Test func `a deeply nested record is loaded`() async throws {
        let value = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
        _ = try await write(records(#"{"id":1}"#), in: orders())
        let rows = JSON.array([try JSONParser().parse(Array(value.utf8))])
        _ = try await write([Samples.redactor.json(["id": 2, "rows": rows])], in: orders())
        #expect(try await query("SELECT length(rows) FROM orders WHERE id = 2") == "1024\n")
    }

    @Test func `an unfinished compressed file is rebuilt`() async throws {
        folder.write(Array("rubbish".utf8), to: "a.ndjson.gz.part.gz")
        folder.write(Array("1\n2\nhalf".utf8), to: "a.ndjson.gz.part")
        let path = "\(folder.path)/a.ndjson.gz"
        let writer = try RecordFileWriter(
            path,
            NDJSONFormat(),
            in: .gzip,
            from: .init(bytes: 4, records: 2, element: 1),
            thread: FileThread()
        )
        try writer.append(records("3"), of: 1)
        let committed = try await writer.commit()
        #expect(RecordContainer.gzip.isInPlace(path, from: path + ".part", [committed.bytes]))
        #expect(folder.names() == ["a.ndjson.gz"])
        let plain = try await Command.run("/usr/bin/env", ["gzip", "-dc", path])
        #expect(plain.outputText == "1\n2\n3\n")
    }

    // MARK: Tables

    @Test func `the columns of a table are the members of the records, and values are exact`() async throws {
        let records = try records(
            #"{"id":1,"name":"it's","price":0.1,"tags":["a",{"b":null}],"paid":true}"#,
            #"{"id":12345678901234567890,"price":0.12345678901234567890123,"size \"x\"":1e400}"#,
            #"{"id":"1","price":1.10,"name":null,"paid":false}"#
        )
        let committed = try await write(records, in: orders())
        #expect(committed.records == 3)
        #expect(committed.bytes == TemporaryFolder.contents(of: "\(folder.path)/shop.sqlite")?.count)
        #expect(folder.names() == ["shop.sqlite"])
        #expect(
            try await query("SELECT id, typeof(id), name, price, typeof(price), tags, paid FROM orders ORDER BY rowid")
                == """
                1|integer|it's|0.1|real|["a",{"b":null}]|1
                12345678901234567890|text||0.12345678901234567890123|text||
                1|text||1.1|real||0

                """
        )
        #expect(try await query(#"SELECT "size ""x""" FROM orders WHERE "size ""x""" IS NOT NULL"#) == "1e400\n")
        #expect(try await query("PRAGMA integrity_check") == "ok\n")
    }

    @Test func `bytes are stored as blobs, and a value that only looks like encoded bytes is not`() async throws {
        let record = Samples.redactor.json([
            "id": 1, "a": .bytes([0xFF, 0]), "b": .bytes([]), "c": ["$bytes": "AAAA"],
        ])
        _ = try await write([record], in: orders())
        #expect(
            try await query("SELECT hex(a), typeof(a), typeof(b), c FROM orders")
                == "FF00|blob|blob|{\"$bytes\":\"AAAA\"}\n"
        )
    }

    @Test func `a record replaces all columns of an earlier record with the same key`() async throws {
        _ = try await write(records(#"{"id":1,"a":1,"b":2}"#, #"{"id":2,"a":1}"#), in: orders())
        _ = try await write(records(#"{"id":1,"a":5,"c":6}"#, #"{"id":3}"#, #"{"id":3,"a":7}"#), in: orders())
        #expect(try await query("SELECT id,a,b,c FROM orders ORDER BY id") == "1|5||6\n2|1||\n3|7||\n")
    }

    @Test func `with a list of columns, the other columns of a row keep their values`() async throws {
        _ = try await query(
            """
            CREATE TABLE orders (id PRIMARY KEY, a, note);
            INSERT INTO orders VALUES (1, 1, 'mine');
            CREATE TABLE others AS SELECT 42 AS x;
            """
        )
        let both = try records(#"{"id":1,"a":2,"z":3}"#, #"{"id":2,"a":3,"z":4}"#)
        _ = try await write(both, in: orders(["id", "a", "z"]))
        #expect(try await query("SELECT * FROM orders ORDER BY id") == "1|2|mine|3\n2|3||4\n")
        #expect(try await query("SELECT x FROM others") == "42\n")
    }

    @Test func `names that only Unicode treats as equal are different columns`() async throws {
        let record = #"{"id":1,"\u00e9":1,"e\u0301":2,"\u00c9":3}"#
        _ = try await write(records(record), in: orders())
        #expect(try await query("SELECT * FROM orders") == "1|1|2|3\n")
    }

    @Test func `a table without records has the listed columns`() async throws {
        _ = try await write([], in: orders(["id", "a"]))
        #expect(try await query("SELECT name FROM pragma_table_info('orders')") == "id\na\n")
    }

    @Test func `records add at most 1000 columns to a table`() async throws {
        func records(_ count: Int) -> [RedactedJSON] {
            (0..<count).map { Samples.redactor.json(["id": .number(JSONNumber($0)), "m\($0)": true]) }
        }
        _ = try await write(records(999), in: orders())
        #expect(try await query("SELECT count(*) FROM pragma_table_info('orders')") == "1000\n")
        let error = await #expect(throws: ResultsError.self) { _ = try await write(records(1000), in: orders()) }
        #expect(
            error?.description.hasSuffix(
                "have more than 1000 different members; name the ones to store with 'columns'"
            ) == true
        )
        #expect(try await query("SELECT count(*) FROM orders") == "999\n")
    }

    @Test(arguments: [
        ([#"{"id":1,"net":1}"#, #"{"id":2,"Net":2}"#], "net"), ([#"{"id":1,"NET":1}"#, #"{"id":2,"net":2}"#], "NET"),
        ([#"{"ID":1}"#, #"{"id":2,"net":2}"#], nil),
    ])
    func `names that differ in case are not one column`(lines: [String], column: String?) async throws {
        let records = try lines.flatMap { try self.records($0) }
        let error = await #expect(throws: ResultsError.self) { try await write(records, in: orders()) }
        let words = column.map { "have both '\($0)' and" } ?? ""
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func `records of a table whose column has another case are stored in it`() async throws {
        _ = try await write(records(#"{"id":1,"net":1}"#), in: orders())
        _ = try await write(records(#"{"id":2,"Net":2}"#, #"{"id":3,"Net":3}"#), in: orders())
        #expect(try await query("SELECT net FROM orders ORDER BY id") == "1\n2\n3\n")
    }

    @Test func `a record that is not an object is stored in the column 'value'`() async throws {
        _ = try await write(records("5", "\"x\"", "5"), in: orders(key: ["value"]))
        #expect(try await query("SELECT value FROM orders ORDER BY 1") == "5\nx\n")
    }

    @Test(
        arguments: [
            (#"{"id":2,"a":1}"#, #"{"a":2}"#, "is missing 'id', a column of 'key': {\"a\":2}"),
            (#"{"id":2}"#, #"{"id":null}"#, "is missing 'id', a column of 'key': {\"id\":null}"),
            (#"{"id":2,"a":1}"#, #"{"id":3,"A":1,"a":2}"#, "has 'a' twice, because SQLite ignores the case of names"),
        ] as [(String, String, String)]
    )
    func `either all records are in the table or none`(good: String, bad: String, reason: String) async throws {
        _ = try await write(records(#"{"id":1,"a":1}"#), in: orders())
        let error = await #expect(throws: ResultsError.self) {
            try await write(records(good, bad), in: orders())
        }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("record 2 for table 'orders'") == true)
        #expect(try await query("SELECT id FROM orders") == "1\n")
        // The records are kept, and 'resume' loads them.
        #expect(folder.names() == ["shop.sqlite", "shop.sqlite.orders.part"])
    }

    @Test(
        arguments: [
            ("v TEXT UNIQUE ON CONFLICT REPLACE", "", "UNIQUE constraint failed: orders.v"),
            ("v TEXT UNIQUE ON CONFLICT IGNORE", "", "UNIQUE constraint failed: orders.v"),
            ("v TEXT, w TEXT NOT NULL ON CONFLICT IGNORE", "", "NOT NULL constraint failed: orders.w"),
            ("v TEXT", "INSERT", "record 1 for table 'orders'"), ("v TEXT", "UPDATE", "record 2 for table 'orders'"),
        ]
    )
    func `an existing table cannot drop a record without an error`(columns: String, ignored: String, reason: String)
        async throws
    {
        _ = try await query("CREATE TABLE orders (id INTEGER PRIMARY KEY ON CONFLICT IGNORE, \(columns))")
        if !ignored.isEmpty {
            _ = try await query("INSERT INTO orders VALUES (2, 'old')")
            _ = try await query(
                "CREATE TRIGGER t BEFORE \(ignored) ON orders BEGIN SELECT RAISE(IGNORE); END"
            )
        }
        let before = try await query("SELECT * FROM orders")
        let error = await #expect(throws: ResultsError.self) {
            try await write(records(#"{"id":1,"v":"x"}"#, #"{"id":2,"v":"x"}"#), in: orders())
        }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        #expect(try await query("SELECT * FROM orders") == before)
    }

    @Test func `records that have only the columns of the key can be loaded again`() async throws {
        for _ in 0..<2 { _ = try await write(records(#"{"id":1}"#, #"{"id":2}"#), in: orders()) }
        #expect(try await query("SELECT * FROM orders") == "1\n2\n")
    }

    @Test func `a new database is not created if no record is loaded`() async throws {
        await #expect(throws: ResultsError.self) { try await write(records("{}"), in: orders()) }
        #expect(folder.names() == ["shop.sqlite.orders.part"])
    }

    @Test func `a database locked by another process is retried until a timeout`() async throws {
        _ = try await write(records(#"{"id":1}"#), in: orders())
        let other = try SQLiteDatabase("\(folder.path)/shop.sqlite", wait: 0)
        try other.execute("BEGIN EXCLUSIVE")
        let path = "\(folder.path)/shop.sqlite"
        let noticed = Mutex<[String]>([])
        let notice = LockNotice { path in noticed.withLock { $0.append(path) } }
        let error = #expect(throws: ResultsError.self) {
            let isOver = { @Sendable in false }
            _ = try SQLiteTransaction(
                path,
                excludesReaders: false,
                wait: 2,
                until: isOver,
                orUntil: isOver,
                notice: notice
            )
        }
        #expect(
            error?.description
                == "the database '\(path)' is locked by another process, which did not release it within 2 s"
        )
        #expect(noticed.withLock(\.self) == [path])
        let writer = try RecordFileWriter(path, SQLiteFormat(), in: orders(), thread: FileThread())
        let stopped = await #expect(throws: ResultsError.self) { try await writer.commit(until: { true }) }
        #expect(stopped?.description == "the database '\(folder.path)/shop.sqlite' is locked by another process")
        async let second = write(records(#"{"id":2}"#), in: orders())
        try other.execute("COMMIT")
        _ = try await second
        #expect(try await query("SELECT id FROM orders") == "1\n2\n")
    }

    @Test func `an empty database that another process has locked is not removed`() throws {
        let path = "\(folder.path)/shop.sqlite"
        let other = try SQLiteDatabase(path, wait: 0)
        try other.execute("BEGIN EXCLUSIVE")
        let isOver = { @Sendable in false }
        #expect(throws: ResultsError.self) {
            try SQLiteTransaction(path, excludesReaders: true, wait: 0, until: isOver, orUntil: isOver).commit()
        }
        #expect(folder.names().contains("shop.sqlite"))
    }

    @Test func `a file that is not a database is left unchanged`() async throws {
        folder.write(Array("a letter, not a database, and long enough".utf8), to: "shop.sqlite")
        let error = await #expect(throws: ResultsError.self) { try await write(records(#"{"id":1}"#), in: orders()) }
        #expect(error?.description == "'\(folder.path)/shop.sqlite' is not an SQLite database")
        #expect(folder.read("shop.sqlite") == "a letter, not a database, and long enough")
    }

    @Test(arguments: [
        ("INTEGER", [#"{"id":"01"}"#]), ("numeric", [#"{"id":12345678901234567891}"#]), ("real", [#"{"id":"1e3"}"#]),
        ("text", [#"{"id":1}"#, #"{"id":"1"}"#]), ("int", [#"{"id":"1"}"#, #"{"id":1}"#]),
    ])
    func `keys that a column would store as another value are an error`(type: String, lines: [String]) async throws {
        _ = try await query("CREATE TABLE orders (id \(type) PRIMARY KEY, a)")
        let records = try lines.map { Samples.redactor.json(try JSONParser().parse(Array($0.utf8))) }
        let error = await #expect(throws: ResultsError.self) { try await write(records, in: orders()) }
        #expect(error?.description.contains("a column of 'key'") == true, "\(error as Any)")
        _ = try await write(
            self.records(type == "text" ? #"{"id":"01"}"# : #"{"id":"17"}"#, #"{"id":"18"}"#),
            in: orders()
        )
        #expect(try await query("SELECT count(*) FROM orders") == "2\n")
    }

    @Test(arguments: [
        ("id TEXT COLLATE NOCASE PRIMARY KEY", #""A""#, #""a ""#),
        ("id TEXT COLLATE RTRIM PRIMARY KEY", #""a ""#, #""A""#),
        ("id, UNIQUE (id COLLATE NOCASE)", #""A""#, "1"),
        ("id INTEGER PRIMARY KEY, b TEXT COLLATE NOCASE UNIQUE", nil, "2"),
    ])
    func `keys that the table compares as equal are an error`(columns: String, equal: String?, other: String)
        async throws
    {
        _ = try await query("CREATE TABLE orders (\(columns))")
        let first = equal == nil ? "1" : #""a""#
        if let equal {
            let same = try records(#"{"id":\#(first)}"#, #"{"id":\#(equal)}"#)
            let error = await #expect(throws: ResultsError.self) { try await write(same, in: orders()) }
            #expect(error?.description.contains("the table compares both keys as equal") == true, "\(error as Any)")
        }
        let different = try records(#"{"id":\#(first)}"#, #"{"id":\#(other)}"#, #"{"id":\#(first)}"#)
        _ = try await write(different, in: orders())
        #expect(try await query("SELECT count(*) FROM orders") == "2\n")
    }

    @Test func `a slow trigger is interrupted`() async throws {
        _ = try await query(
            """
            CREATE TABLE orders (id PRIMARY KEY);
            CREATE TRIGGER slow AFTER INSERT ON orders BEGIN
              SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n);
            END
            """
        )
        folder.write(Array(#"{"id":1}"#.utf8) + [0x0A], to: "one.ndjson")
        let end = ContinuousClock.now + .milliseconds(200)
        let error = #expect(throws: ResultsError.self) {
            let isOver = { @Sendable in ContinuousClock.now > end }
            let path = "\(folder.path)/shop.sqlite"
            let transaction = try SQLiteTransaction(
                path,
                excludesReaders: false,
                wait: 10,
                until: { false },
                orUntil: isOver
            )
            let table = SQLiteTable("orders", key: ["id"], columns: nil)
            try transaction.load("\(folder.path)/one.ndjson", into: table, until: isOver)
        }
        #expect(error?.kind == .stopped)
        #expect(try await query("SELECT count(*) FROM orders") == "0\n")
    }

    @Test func `a table without a unique index on the key is an error`() async throws {
        _ = try await query("CREATE TABLE orders (id, a)")
        let error = await #expect(throws: ResultsError.self) { try await write(records(#"{"id":1}"#), in: orders()) }
        #expect(
            error?.description.hasSuffix("has no PRIMARY KEY or UNIQUE index on exactly the columns of 'key': id")
                == true
        )
    }

    @Test func `two steps may write different tables of one database, but not the same table or the file itself`()
        async throws
    {
        let run = try RunFolder.create(.at("\(folder.path)/run"), for: RunID())
        func open(_ container: RecordContainer, _ step: String) async throws -> RecordFileWriter {
            try await run.records(at: "a.db", SQLiteFormat(), in: container, of: step)
        }
        func table(_ name: String) -> RecordContainer { .table(SQLiteTable(name, key: ["id"], columns: nil)) }
        let first = try await open(table("a"), "main.a")
        let second = try await open(table("b"), "main.b")
        try first.append(records(#"{"id":1}"#))
        try second.append(records(#"{"id":2}"#))
        async let one = first.commit()
        async let two = second.commit()
        _ = try await (one, two)
        #expect(try await query("SELECT a.id, b.id FROM a, b", "run/a.db") == "1|2\n")
        await #expect(throws: ResultsError.self) { try await open(table("A"), "main.c") }
        await #expect(throws: ResultsError.self) { try await open(.file, "main.d") }
    }

    @Test func `a database in the results folder cannot be a link`() async throws {
        let run = try RunFolder.create(.at("\(folder.path)/run"), for: RunID())
        _ = try await Command.run("/bin/ln", ["-s", "../elsewhere.db", "\(folder.path)/run/a.db"])
        await #expect(
            throws: ResultsError.refused(
                "'a.db' is a symbolic link; a database in the results folder must be a file"
            )
        ) {
            try await run.records(at: "a.db", SQLiteFormat(), in: orders(), of: "main.a")
        }
    }

    // MARK: Aggregates

    @Test func `aggregates follow the order of the file, exclude discarded records and survive a resumption`()
        async throws
    {
        let path = "\(folder.path)/a.ndjson"
        func aggregates(_ value: Int) throws -> [RecordAggregate] {
            try [AggregateFunction.sum, .first, .last].map { function in
                var aggregate = RecordAggregate(function)
                try aggregate.add(.number(JSONNumber(value)))
                return aggregate
            }
        }
        let first = try RecordFileWriter(path, NDJSONFormat(), thread: FileThread())
        try first.append(records("2"), aggregates: aggregates(2), of: 1)
        try first.append(records("9"), aggregates: aggregates(9), of: 0)
        try first.removeRecords(0)
        try first.append(records("1"), aggregates: aggregates(1), of: 0)
        let end = try first.end(0, .kept)
        let held = try first.append(records("4"), aggregates: aggregates(4), of: 3)
        // What the journal records about it.
        guard case .written(let bytes, _, let tally)? = RecordedOutput(end.json),
            case .held(let waiting, let count)? = RecordedOutput(held.json)
        else {
            Issue.record("\(end) \(held)")
            return
        }
        #expect(tally.aggregates.map(\.result) == [1, 1, 1])
        let place = RecordFileWriter.Resumption(
            bytes: bytes,
            records: tally,
            element: 1,
            held: [3: (waiting, count)],
            ended: [3]
        )
        _ = consume first
        let second = try RecordFileWriter(path, NDJSONFormat(), from: place, thread: FileThread())
        for element in [2, 1] {
            try second.append(records("\(element + 1)"), aggregates: aggregates(element + 1), of: element)
            _ = try second.end(element, .kept)
        }
        let committed = try await second.commit()
        #expect(folder.read("a.ndjson") == "1\n2\n3\n4\n")
        #expect(committed.records.count == 4)
        #expect(committed.records.aggregates.map(\.result) == [10, 1, 4])
    }
}
