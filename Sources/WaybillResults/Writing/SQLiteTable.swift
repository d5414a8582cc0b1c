import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// A table of an SQLite database, the destination of a step's records.
///
/// The records are loaded from the lines of a complete file in one transaction, so that the table contains all of them
/// or none, even if the process is killed. Loading them again changes nothing, because the key identifies each record.
package struct SQLiteTable: Sendable {
    /// The name of the table.
    package let name: String
    /// The columns that identify a record.
    package let key: [String]
    /// The columns in order; `nil` if they are the members of the records.
    package let columns: [String]?
    /// The number of seconds to wait for a lock of another process.
    let wait: Int

    /// Creates a table; see the properties.
    package init(_ name: String, key: [String], columns: [String]?, wait: Int = 10) {
        self.name = name
        self.key = key
        self.columns = columns
        self.wait = wait
    }

    /// The name of a table that only one step may write. SQLite ignores the case of names.
    static func name(_ table: String, in database: String) -> String { "\(database)\0\(table.lowercased())" }
}

/// A transaction that loads records into tables of a database. Unless it is committed, the database stays as it was.
final class SQLiteTransaction {
    private let path: String
    /// `nil` after the transaction.
    private var database: SQLiteDatabase?

    /// Opens a database, which is created if needed, and locks it for writing.
    ///
    /// - Parameters:
    ///   - excludesReaders: Whether others cannot read it either, so that the commit does not have to wait for them.
    ///   - wait: The number of seconds to wait for a lock of another process.
    ///   - isStopped: Whether to stop waiting for it before.
    ///   - isCancelled: Whether to stop loading.
    ///   - notice: Reports that it waits for long.
    init(
        _ path: String,
        excludesReaders: Bool,
        wait: Int,
        until isStopped: @escaping @Sendable () -> Bool,
        orUntil isCancelled: @escaping @Sendable () -> Bool,
        notice: LockNotice? = nil
    ) throws(ResultsError) {
        self.path = path
        let database = try SQLiteDatabase(path, wait: wait, until: isStopped, orUntil: isCancelled, notice: notice)
        // More memory than the default of 2 MiB, for keys in random order.
        try database.execute("PRAGMA cache_size = -8000")
        try database.execute(excludesReaders ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE")
        // Without the lock, there is nothing to undo, and an empty database may be that of another process.
        self.database = database
    }

    deinit {
        guard database != nil else { return }
        // After an error of the disk, only the next one who reads the database undoes what was written to it.
        try? database?.execute("ROLLBACK")
        try? database?.execute("SELECT 1 FROM sqlite_master")
        database = nil
        // Removes a database that was created in vain.
        if FolderContents.size(of: path) == 0 { unlink(path) }
    }

    /// Loads records, one JSON value per line, into a table, which is created if needed.
    func load(_ source: String, into table: SQLiteTable, until isCancelled: () -> Bool) throws(ResultsError) {
        guard let database else { return }
        var load = try SQLiteLoad(table, into: database)
        try load.load(source, until: isCancelled)
    }

    /// Commits the transaction.
    func commit() throws(ResultsError) {
        try database?.execute("COMMIT")
        database = nil
    }
}

/// The state of loading the records of one file into a table.
private struct SQLiteLoad {
    private let table: SQLiteTable
    private let database: SQLiteDatabase
    /// The columns of the table that records use, in the order of the parameters of `insertion`.
    private var columns: [String] = []
    /// The index in `columns` by the name of a member as written.
    private var members: [CodePoints: Int] = [:]
    /// The index in `columns` by the name as SQLite compares it.
    private var folded: [CodePoints: Int] = [:]
    private var isCreated: Bool
    private var insertion: SQLiteStatement?
    /// Stores the key of a record, if the table's collation makes different keys equal. Changes nothing if the table already
    /// has a key that is equal in this way.
    private var keyInsertion: SQLiteStatement?
    /// The columns of the table that records name in another case.
    private var respelt: Set<Int> = []
    /// The number of the last record with a value for a column, by the column's index.
    private var lastUses: [Int] = []
    private var count = 0
    /// The kinds of the values in the columns of the key that have a form of which SQLite has others, too.
    private var keyKinds: [KeyForm: JSON.Kind] = [:]
    /// How the columns of a table that is there already store values, by the name as SQLite compares it.
    private var affinities: [CodePoints: Affinity] = [:]

    private struct KeyForm: Hashable {
        let name: CodePoints
        let form: SharedForm
    }

    init(_ table: SQLiteTable, into database: SQLiteDatabase) throws(ResultsError) {
        self.table = table
        self.database = database
        // Generated columns, which are hidden, cannot be written.
        func columns(_ property: String) throws(ResultsError) -> [String] {
            let query = "SELECT \(property) FROM pragma_table_xinfo(\(table.name.quotedAsText)) WHERE hidden = 0"
            return try SQLiteStatement(query, of: database).strings(0)
        }
        let existing = try columns("name")
        isCreated = !existing.isEmpty
        for (name, type) in zip(existing, try columns("type")) {
            affinities[name.foldedForSQL] = Affinity(type: type)
        }
        keyInsertion = try makeKeyInsertion()
        for column in existing where table.columns.map({ $0.contains(named: column) }) ?? true { add(column) }
    }

    mutating func load(_ source: String, until isCancelled: () -> Bool) throws(ResultsError) {
        let pieceBytes = 1 << 20
        let file = try InputFile(source)
        var rest: [UInt8] = []
        while true {
            if isCancelled() { throw .stopped(database.path) }
            let piece = try file.next(pieceBytes)
            if piece.isEmpty { break }
            rest += piece
            var start = 0
            var records: [JSONObject] = []
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                records.append(try record(rest[start..<end], of: source))
                start = end + 1
            }
            rest.removeFirst(start)
            try addColumns(of: records)
            for record in records { try insert(record) }
        }
        // A table without records has its columns nevertheless.
        if !isCreated { try create(table.columns ?? table.key) }
    }

    private func record(_ line: ArraySlice<UInt8>, of source: String) throws(ResultsError) -> JSONObject {
        guard let value = try? JSONParser.ownFiles.parse(line) else {
            throw ResultsError("'\(source)' was changed: a line of it is not JSON")
        }
        return value.object ?? JSONObject([("value", value)])
    }

    private mutating func insert(_ record: JSONObject) throws(ResultsError) {
        count += 1
        let insertion = if let insertion { insertion } else { try makeInsertion() }
        for (name, value) in record {
            guard let index = members[CodePoints(name)] else { continue }
            guard lastUses[index] != count else {
                throw failure("has '\(columns[index])' twice, because SQLite ignores the case of names", value: record)
            }
            lastUses[index] = count
            try insertion.bind(member: value, at: index + 1)
        }
        for name in table.key {
            if let value = record[name], value != .null {
                let affinity = affinities[name.foldedForSQL] ?? .none
                if affinity.changes(value) {
                    throw failure(
                        "has \(value.kind.phrase) in '\(name)', a column of 'key' whose type stores it as another value, so that two "
                            + "keys could become one; convert it with 'columns'",
                        value: record
                    )
                }
                guard let form = affinity.sharedForm(of: value) else { continue }
                let earlier = keyKinds.updateValue(value.kind, forKey: KeyForm(name: CodePoints(name), form: form))
                guard let earlier, earlier != value.kind else { continue }
                throw failure(
                    "has \(value.kind.phrase) in '\(name)', a column of 'key', and an earlier record has \(earlier.phrase), "
                        + "which SQLite may store in the same way; make both strings with 'columns'",
                    value: record
                )
            }
            let nearest = record[name] == nil ? NearestName.of(name, among: record.names) : nil
            let hint = nearest.map { ", did you mean '\($0)'?" } ?? ""
            throw failure("is missing '\(name)', a column of 'key'\(hint)", value: record)
        }
        if let keyInsertion {
            for (index, name) in table.key.enumerated() {
                try keyInsertion.bind(member: record[name] ?? .null, at: index + 1)
            }
            try keyInsertion.run()
            guard database.changedRows > 0 else {
                throw failure(
                    "differs in 'key' from an earlier record, but the table compares both keys as equal (COLLATE); make them "
                        + "equal or different with 'columns'",
                    value: record
                )
            }
        }
        try insertion.run()
        // A trigger can ignore a row without an error.
        guard database.changedRows > 0 else {
            throw failure("was not stored: a trigger of the table ignores it", value: record)
        }
    }

    /// The statement that stores the keys of all records in a temporary table, which compares them as the index on `key`
    /// does; `nil` if that compares bytes.
    private func makeKeyInsertion() throws(ResultsError) -> SQLiteStatement? {
        let indexes = "pragma_index_list(\(table.name.quotedAsText)) WHERE \"unique\" AND NOT partial"
        for index in try SQLiteStatement("SELECT name FROM \(indexes)", of: database).strings(0) {
            let columns = "FROM pragma_index_xinfo(\(index.quotedAsText)) WHERE key"
            let names = try SQLiteStatement("SELECT name \(columns)", of: database).strings(0)
            let collations = try SQLiteStatement("SELECT coll \(columns)", of: database).strings(0)
            guard names.count == table.key.count, table.key.allSatisfy({ names.contains(named: $0) }),
                !collations.allSatisfy({ $0.uppercased() == "BINARY" })
            else { continue }
            let keys = table.key.map(\.quotedForSQL)
            let types = zip(names, collations).map { "\($0.quotedForSQL) COLLATE \($1.quotedForSQL)" }.joined(
                separator: ", "
            )
            let list = keys.joined(separator: ", ")
            let isEqual = keys.map { "\($0) = excluded.\($0) COLLATE BINARY" }.joined(separator: " AND ")
            try database.execute("DROP TABLE IF EXISTS temp.keys")
            try database.execute("CREATE TEMP TABLE keys (\(types), PRIMARY KEY (\(list)))")
            return try SQLiteStatement(
                """
                INSERT INTO temp.keys (\(list)) VALUES (\(keys.map { _ in "?" }.joined(separator: ", "))) \
                ON CONFLICT (\(list)) DO UPDATE SET \(keys[0]) = \(keys[0]) WHERE \(isEqual)
                """,
                of: database
            )
        }
        return nil
    }

    private func failure(_ words: String, value: JSONObject) -> ResultsError {
        let shown = JSONWriter().excerpt(of: .object(value), 80)
        return ResultsError("record \(count) for table '\(table.name)' of '\(database.path)' \(words): \(shown)")
    }

    // MARK: Columns

    /// Adds a column to the known columns of the table.
    private mutating func add(_ column: String) {
        guard folded[column.foldedForSQL] == nil else { return }
        folded[column.foldedForSQL] = columns.count
        members[CodePoints(column)] = columns.count
        columns.append(column)
        lastUses.append(0)
        insertion = nil
    }

    /// The maximum number of columns that records add to a table. SQLite itself has at most 2000.
    private static let maximumColumns = 1000

    /// Finds the columns of the members of some records, and adds those that the table does not have.
    private mutating func addColumns(of records: [JSONObject]) throws(ResultsError) {
        if !isCreated, let first = records.first { try create(table.columns ?? first.names) }
        for record in records {
            for member in record.names where members[CodePoints(member)] == nil {
                if let index = folded[member.foldedForSQL] {
                    let column = columns[index]
                    // A record with both is reported when it is inserted.
                    if record[column] == nil {
                        guard lastUses[index] == 0, respelt.insert(index).inserted,
                            !records.contains(where: { $0[column] != nil })
                        else {
                            throw ResultsError(
                                "the records for table '\(table.name)' of '\(database.path)' have both '\(column)' and "
                                    + "'\(member)', which are one column, because SQLite ignores the case of names"
                            )
                        }
                        members[CodePoints(column)] = nil
                    }
                    members[CodePoints(member)] = index
                    continue
                }
                guard columns.count < Self.maximumColumns else {
                    throw ResultsError(
                        "the records for table '\(table.name)' of '\(database.path)' have more than "
                            + "\(Self.maximumColumns) different members; name the ones to store with 'columns'"
                    )
                }
                try database.execute("ALTER TABLE \(table.name.quotedForSQL) ADD COLUMN \(try quoted(member))")
                add(member)
            }
        }
    }

    private mutating func create(_ names: [String]) throws(ResultsError) {
        for name in names { add(name) }
        for name in table.key { add(name) }
        // Without types, each value is stored unchanged.
        var parts: [String] = []
        for column in columns { parts.append(try quoted(column)) }
        let key = table.key.map(\.quotedForSQL).joined(separator: ", ")
        let definition = "\(parts.joined(separator: ", ")), PRIMARY KEY (\(key))"
        try database.execute("CREATE TABLE \(table.name.quotedForSQL) (\(definition))")
        isCreated = true
    }

    private func quoted(_ name: String) throws(ResultsError) -> String {
        guard !name.utf8.contains(0) else {
            throw ResultsError("the name of a record's member cannot be a column: it contains a NUL character")
        }
        return name.quotedForSQL
    }

    private mutating func makeInsertion() throws(ResultsError) -> SQLiteStatement {
        let names = columns.map(\.quotedForSQL).joined(separator: ", ")
        let values = columns.map { _ in "?" }.joined(separator: ", ")
        let key = table.key.map(\.quotedForSQL).joined(separator: ", ")
        let others = columns.filter { !table.key.contains(named: $0) }.map(\.quotedForSQL)
        var change = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        // Without other columns, the row stays as it is, and counts as changed.
        if others.isEmpty, let column = table.key.first?.quotedForSQL { change = "\(column) = \(column)" }
        do throws(ResultsError) {
            // ABORT overrides 'ON CONFLICT' in the definition of the table, which can drop rows without an error.
            let statement = try SQLiteStatement(
                """
                INSERT OR ABORT INTO \(table.name.quotedForSQL) (\(names)) VALUES (\(values)) \
                ON CONFLICT (\(key)) DO UPDATE SET \(change)
                """,
                of: database
            )
            insertion = statement
            return statement
        } catch {
            guard error.description.contains("ON CONFLICT clause does not match") else { throw error }
            throw ResultsError(
                "table '\(table.name)' of '\(database.path)' has no PRIMARY KEY or UNIQUE index on exactly the columns of 'key': "
                    + table.key.joined(separator: ", ")
            )
        }
    }
}

/// A form in which SQLite stores values of several kinds, which would be one key.
private enum SharedForm: Hashable {
    /// The integers 0 and 1, also for booleans.
    case bit
    /// A number, in a column of numbers.
    case number
    /// A text, in a column of text.
    case text
    /// A text that is JSON: of a string, a list, an object, or a number that SQLite cannot represent.
    case json
}

extension JSON {
    /// The form in which SQLite stores the value, if values of other kinds have it, too.
    fileprivate var sharedForm: SharedForm? {
        switch self {
        case .null, .bytes: return nil
        case .bool: return .bit
        case .number(let number):
            if let integer = number.int { return 0...1 ~= integer ? .bit : nil }
            return number.exactDouble == nil ? .json : nil
        case .array: return .json
        // Bytes were marked when the record was written.
        case .object: return JSON(markingBytes: self).bytes == nil ? .json : nil
        case .string(let text):
            guard let first = text.utf8.first, "-0123456789[{".utf8.contains(first),
                let value = try? JSONParser.ownFiles.parse(Array(text.utf8))
            else { return nil }
            return value.sharedForm == .json ? .json : nil
        }
    }
}

/// How a column with a type stores values (“Datatypes In SQLite”, section 3).
private enum Affinity {
    /// Unchanged.
    case none
    /// Numbers as text.
    case text
    /// Text that is a number as this number.
    case numeric
    /// The same, and integers as the nearest number with 53 bits.
    case real

    init(type: String) {
        let type = type.uppercased()
        if type.contains("INT") {
            self = .numeric
        } else if ["CHAR", "CLOB", "TEXT"].contains(where: { type.contains($0) }) {
            self = .text
        } else {
            let isReal = ["REAL", "FLOA", "DOUB"].contains { type.contains($0) }
            self = type.isEmpty || type.contains("BLOB") ? .none : isReal ? .real : .numeric
        }
    }

    /// Returns the form in which a column stores a value, if it stores values of other kinds in the same form.
    func sharedForm(of value: JSON) -> SharedForm? {
        switch (self, value) {
        case (.text, .number), (.text, .string), (.text, .bool): .text
        case (.numeric, .string(let text)), (.real, .string(let text)): Self.isNumber(text) ? .number : value.sharedForm
        case (.numeric, .number), (.numeric, .bool), (.real, .number), (.real, .bool): .number
        default: value.sharedForm
        }
    }

    /// Whether a column stores a value as another one, so that two keys could become one.
    func changes(_ value: JSON) -> Bool {
        guard self == .numeric || self == .real else { return false }
        return switch value {
        case .number(let number):
            number.int.map(isChanged) ?? (number.exactDouble == nil)
        case .string(let text): Self.isNumber(text) && (Int(text).map { "\($0)" } != text || isChanged(Int(text) ?? 0))
        default: false
        }
    }

    private func isChanged(_ integer: Int) -> Bool { self == .real && Int(exactly: Double(integer)) != integer }

    /// Whether a text is a number for SQLite, which ignores blanks around it.
    private static func isNumber(_ text: String) -> Bool {
        Double(text.filter { !" \t\n\r\u{B}\u{C}".contains($0) }) != nil
    }
}

extension SQLiteStatement {
    /// Binds a member of a record, whose bytes were marked when the record was written.
    fileprivate func bind(member value: JSON, at index: Int) throws(ResultsError) {
        try bind(value.object == nil ? value : JSON(markingBytes: value), at: index)
    }
}

extension [String] {
    /// Whether there is a column with this name. SQLite ignores the case.
    fileprivate func contains(named name: String) -> Bool { contains { $0.foldedForSQL == name.foldedForSQL } }
}

extension String {
    /// The name with ASCII letters in lowercase, because SQLite ignores the case of these only.
    fileprivate var foldedForSQL: CodePoints {
        CodePoints(
            String(
                decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
                as: UTF8.self
            )
        )
    }

    fileprivate var quotedAsText: String { "'\(replacing("'", with: "''"))'" }
}
