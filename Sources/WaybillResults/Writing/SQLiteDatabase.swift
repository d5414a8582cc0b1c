import CSQLite
import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// A connection to an SQLite database. It is used by one thread at a time, and closed when it is released.
@safe final class SQLiteDatabase {
    /// The path that the database was opened with.
    let path: String
    /// The number of seconds to wait for a lock of another process.
    private let wait: Int
    /// Whether to stop waiting for a lock.
    private let isStopped: @Sendable () -> Bool
    private let isCancelled: @Sendable () -> Bool
    private let notice: LockNotice?
    private var waitStart = ContinuousClock.now
    fileprivate let handle: OpaquePointer

    /// Opens a database, or creates it.
    ///
    /// - Parameters:
    ///   - wait: The number of seconds to wait for a lock of another process.
    ///   - isStopped: Whether to stop waiting before that.
    ///   - isCancelled: Whether to interrupt a statement, such as one that starts a slow trigger.
    ///   - notice: Reports that it waits for long.
    init(
        _ path: String,
        wait: Int,
        until isStopped: @escaping @Sendable () -> Bool = { false },
        orUntil isCancelled: @escaping @Sendable () -> Bool = { false },
        notice: LockNotice? = nil
    ) throws(ResultsError) {
        try Self.checkFiles(of: path)
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard let handle = unsafe handle else { throw ResultsError(cannot: "open", path, code: ENOMEM) }
        unsafe (self.path, self.wait, self.handle) = (path, wait, handle)
        (self.isStopped, self.isCancelled, self.notice) = (isStopped, isCancelled, notice)
        try check(code)
        let callback: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { database, count in
            unsafe Unmanaged<SQLiteDatabase>.fromOpaque(database!).takeUnretainedValue().waitForLock(count) ? 1 : 0
        }
        unsafe sqlite3_busy_handler(handle, callback, Unmanaged.passUnretained(self).toOpaque())
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe sqlite3_progress_handler(
            handle,
            100_000,
            { unsafe Unmanaged<SQLiteDatabase>.fromOpaque($0!).takeUnretainedValue().isCancelled() ? 1 : 0 },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
    }

    /// Throws if the database, or one of the files that SQLite has next to it, is not a file: SQLite would wait for the
    /// other end of a pipe. A file with other hard links is refused too, because SQLite would write through them, and finds
    /// the journal of only one of them (“How To Corrupt An SQLite Database File”, section 2.5).
    static func checkFiles(of path: String) throws(ResultsError) {
        for file in [path] + RunFileNames.suffixesOfDatabase.map({ path + $0 }) {
            if let obstacle = FileReplacement.obstacle(at: file, followsLinks: true) {
                throw ResultsError("cannot open '\(file)': \(obstacle.message)")
            }
            guard let status = try? FileStatus(of: file), status.kind == .file, status.linkCount > 1 else { continue }
            throw ResultsError(
                "cannot open '\(file)': it has another hard link, whose file would change too; "
                    + "replace it by a copy, with 'cp' and 'mv'"
            )
        }
    }

    /// Waits a moment for a lock of another process; `false` if the wait is over.
    ///
    /// - Parameter count: How often this was called for the same lock.
    private func waitForLock(_ count: Int32) -> Bool {
        if count == 0 { waitStart = .now }
        guard !isStopped(), .now - waitStart < .seconds(wait) else { return false }
        notice?.note(.now - waitStart, for: path)
        usleep(1000 << UInt32(min(count, 5)))
        return true
    }

    /// The number of rows that the last statement inserted or changed, without those of its triggers.
    var changedRows: Int { unsafe Int(sqlite3_changes(handle)) }

    /// Executes a statement without parameters and results.
    func execute(_ sql: String) throws(ResultsError) {
        try SQLiteStatement(sql, of: self).run()
    }

    /// Throws for a result other than success.
    fileprivate func check(_ code: Int32) throws(ResultsError) {
        guard ![SQLITE_OK, SQLITE_ROW, SQLITE_DONE].contains(code) else { return }
        switch code & 0xFF {
        case SQLITE_NOTADB:
            throw ResultsError("'\(path)' is not an SQLite database")
        case SQLITE_BUSY, SQLITE_LOCKED:
            let wasStopped = isStopped()
            let message = "the database '\(path)' is locked by another process"
            throw ResultsError(
                wasStopped ? message : "\(message), which did not release it within \(wait) s",
                wasStopped ? .stopped : .other
            )
        case SQLITE_INTERRUPT: throw .stopped(path)
        case SQLITE_FULL: throw ResultsError(cannot: "write", path, code: ENOSPC)
        case let kind:
            throw unsafe ResultsError(
                "cannot write '\(path)': \(String(cString: sqlite3_errmsg(handle)))",
                kind == SQLITE_IOERR ? .disk : .other
            )
        }
    }
}

/// A prepared statement.
@safe final class SQLiteStatement {
    private let database: SQLiteDatabase
    private let handle: OpaquePointer?

    init(_ sql: String, of database: SQLiteDatabase) throws(ResultsError) {
        self.database = database
        var handle: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(database.handle, sql, -1, &handle, nil)
        unsafe self.handle = handle
        try database.check(code)
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Executes the statement with the bound values, and resets it for the next ones.
    func run() throws(ResultsError) {
        let code = unsafe sqlite3_step(handle)
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        try database.check(code)
    }

    /// Executes the statement, and returns a column of each row as a string.
    func strings(_ column: Int) throws(ResultsError) -> [String] {
        var strings: [String] = []
        while true {
            let code = unsafe sqlite3_step(handle)
            try database.check(code)
            guard code == SQLITE_ROW else { return strings }
            unsafe strings.append(sqlite3_column_text(handle, Int32(column)).map { unsafe String(cString: $0) } ?? "")
        }
    }

    /// Binds a value to a parameter, numbered from 1: a 64-bit integer as INTEGER, another number as REAL if that
    /// prints the same number and otherwise as TEXT with its digits, a boolean as 1 or 0, bytes as BLOB, a list or
    /// object as JSON text.
    func bind(_ value: JSON, at index: Int) throws(ResultsError) {
        let index = Int32(index)
        let code =
            switch value {
            case .null: unsafe sqlite3_bind_null(handle, index)
            case .bool(let value): unsafe sqlite3_bind_int64(handle, index, value ? 1 : 0)
            case .number(let number):
                if let integer = number.int {
                    unsafe sqlite3_bind_int64(handle, index, Int64(integer))
                } else if let double = number.exactDouble {
                    unsafe sqlite3_bind_double(handle, index, double)
                } else {
                    bind(number.text, at: index)
                }
            case .string(let text): bind(text, at: index)
            case .bytes(let bytes):
                unsafe bytes.withUnsafeBytes { unsafe waybill_bind_blob(handle, index, $0.baseAddress, $0.count) }
            case .array, .object: bind(JSONWriter().string(value), at: index)
            }
        try database.check(code)
    }

    private func bind(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { unsafe waybill_bind_text(handle, index, $0.baseAddress, $0.count) }
    }
}

extension JSONNumber {
    /// The double that prints with the same digits as this number; `nil` if digits would be lost.
    var exactDouble: Double? {
        let double = double
        return JSONNumber(double) == self ? double : nil
    }
}

extension String {
    /// The quoted name of a table or column in SQL.
    var quotedForSQL: String { "\"\(replacing("\"", with: "\"\""))\"" }
}
