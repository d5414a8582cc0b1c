import WaybillDiagnostics
package import WaybillJSON

/// A row of a CSV text, named by its header.
package struct CSVRow: Sendable {
    /// An object with a string for each name of the header, in the order of the header.
    package let value: JSON
    /// The bytes of the row in the text, without its line break.
    package let range: Range<Int>
}

/// Reads CSV text (RFC 4180) row by row, from pieces of any size. It needs memory for one row only.
///
/// The reader decides what the RFC leaves open as follows:
/// - The first record is the header. Its names must be distinct and not empty, and each row must have as many fields.
/// - A record ends with CR LF, LF or CR, the last one also with the end of the text. Empty lines are ignored.
/// - A byte order mark at the start is ignored. Bytes that are not UTF-8 are an error.
/// - White space is part of its field.
///
/// After an error in a row, the rows after it can still be read. Without a valid header, or after a limit is exceeded,
/// there are no more rows.
package struct CSVReader: Sendable {
    /// The limits of a text, which bound the memory that it needs.
    package struct Limits: Sendable {
        /// The maximum number of columns.
        package var maximumFields = 16_384
        /// The maximum size of a record, in bytes.
        package var maximumRecordBytes = 64 << 20
        /// The maximum number of fields of a whole text. An empty one takes one byte of text, and 40 in memory.
        package var maximumFieldsOfText = 16_000_000

        package init() {}
    }

    private let limits: Limits
    private var header: CSVHeader?
    private var recordEnd = CSVRecordEnd()
    /// The start of a record whose end has not arrived.
    private var openRecord: [UInt8] = []
    /// The byte offset of the record in the text.
    private var offset = 0
    private var line = 1
    private var followsCarriageReturn = false
    private var isStopped = false
    private var workLimit = WorkLimit.Check()
    private var stopsAtLimit = false

    /// Creates a reader at the start of a text.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The names of the columns, once the header has been read.
    package var names: [String]? { header?.names }

    /// Returns the rows of a whole text. Fails once `WorkLimit` is reached.
    package static func rows(of text: [UInt8], limits: Limits = Limits()) throws(CSVSyntaxError) -> [JSON] {
        var reader = CSVReader(limits: limits)
        var rest = text[...]
        var rows: [JSON] = []
        var left = limits.maximumFieldsOfText
        reader.stopsAtLimit = true
        while let row = try reader.nextRow(in: &rest) {
            left -= reader.names?.count ?? 0
            if left < 0 { throw reader.tooLarge("the text has more than \(limits.maximumFieldsOfText) fields") }
            rows.append(row.value)
        }
        if let row = try reader.finish() { rows.append(row.value) }
        return rows
    }

    /// Returns the next row, and removes its bytes from a piece of the text.
    ///
    /// - Parameter text: The part of the text that has arrived and has not been read.
    /// - Returns: The row; `nil` if its end has not arrived, in which case the piece is consumed.
    package mutating func nextRow(in text: inout ArraySlice<UInt8>) throws(CSVSyntaxError) -> CSVRow? {
        while !text.isEmpty, !isStopped {
            if workLimit.isReached(at: offset), stopsAtLimit { throw tooLarge(WorkLimit.message) }
            if followsCarriageReturn {
                followsCarriageReturn = false
                if text.first == UInt8(ascii: "\n") {
                    text.removeFirst()
                    offset += 1
                    continue
                }
            }
            let end = recordEnd.scan(text.span)
            let part = text.prefix(end ?? text.count)
            guard openRecord.count + part.count <= limits.maximumRecordBytes else { throw tooLarge() }
            text = text.dropFirst(part.count)
            guard end != nil else {
                openRecord += part
                return nil
            }
            followsCarriageReturn = text.removeFirst() == UInt8(ascii: "\r")
            if let row = try take(part, lineBreak: 1) { return row }
        }
        text = text.suffix(0)
        return nil
    }

    /// Returns the row that the end of the text completes, if there is one. The reader must not be used afterwards.
    package mutating func finish() throws(CSVSyntaxError) -> CSVRow? {
        guard !isStopped else { return nil }
        return try take([], lineBreak: 0)
    }

    /// Reads the record that ends with these bytes; `nil` if it is the header or an empty line.
    private mutating func take(_ part: ArraySlice<UInt8>, lineBreak: Int) throws(CSVSyntaxError) -> CSVRow? {
        let record: ArraySlice<UInt8>
        if openRecord.isEmpty {
            record = part
        } else {
            openRecord += part
            record = openRecord[...]
            openRecord = []
        }
        let start = offset
        offset += record.count + lineBreak
        let startLine = line
        line += Self.lineBreaks(in: record) + lineBreak
        let markLength = start == 0 && record.starts(with: CSVRecordEnd.byteOrderMark) ? 3 : 0
        guard record.count > markLength else { return nil }
        do {
            guard let header else {
                self.header = try CSVHeader(record, from: markLength, maximumFields: limits.maximumFields)
                return nil
            }
            let object = try header.object(of: record)
            return CSVRow(value: .object(object), range: start..<start + record.count)
        } catch {
            isStopped = header == nil
            throw Self.error(error, in: record, offset: start, line: startLine)
        }
    }

    private mutating func tooLarge(_ message: String? = nil) -> CSVSyntaxError {
        isStopped = true
        openRecord = []
        return CSVSyntaxError(
            message: message ?? "the row has more than \(limits.maximumRecordBytes) bytes",
            help: message == nil ? "If a quote is never closed, everything after it is part of the row." : nil,
            range: offset..<offset + 1,
            position: SourcePosition(line: line, column: 1)
        )
    }

    /// Converts an error in a record, which always starts at the start of a line, to an error in the text.
    private static func error(
        _ fault: CSVError,
        in record: ArraySlice<UInt8>,
        offset: Int,
        line: Int
    ) -> CSVSyntaxError {
        let before = record.prefix(fault.range.lowerBound)
        var lastLine = before.suffix(while: { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
        // Editors do not show a byte order mark as a column.
        if offset == 0, lastLine.startIndex == record.startIndex, lastLine.starts(with: CSVRecordEnd.byteOrderMark) {
            lastLine = lastLine.dropFirst(3)
        }
        return CSVSyntaxError(
            message: fault.message,
            help: fault.help,
            range: offset + fault.range.lowerBound..<offset + fault.range.upperBound,
            position: SourcePosition(
                line: line + lineBreaks(in: before),
                column: lastLine.count { $0 & 0xC0 != 0x80 } + 1
            )
        )
    }

    /// Returns the number of line breaks, with CR LF counted as one.
    private static func lineBreaks(in bytes: ArraySlice<UInt8>) -> Int {
        var count = 0
        var followsCarriageReturn = false
        for byte in bytes {
            if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && !followsCarriageReturn { count += 1 }
            followsCarriageReturn = byte == UInt8(ascii: "\r")
        }
        return count
    }
}

extension ArraySlice {
    /// Returns the longest suffix whose elements all satisfy a condition.
    fileprivate func suffix(while condition: (Element) -> Bool) -> ArraySlice {
        self[(lastIndex { !condition($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
