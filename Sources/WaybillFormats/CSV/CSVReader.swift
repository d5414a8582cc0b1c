import WaybillDiagnostics
package import WaybillJSON

/// A row of a CSV text under its header.
package struct CSVRow: Sendable {
    /// An object with a string for each name of the header, in the header's order.
    package let value: JSON
    /// The bytes of the row in the text, without its line break.
    package let range: Range<Int>
}

/// Reads CSV text (RFC 4180) that comes in pieces of any size, row by row; memory is needed for one row only.
///
/// What the RFC leaves open is settled so:
/// - The first record is the header; its names are different and not empty, and each row has as many fields.
/// - A record ends with CR LF, LF or CR, the last one also with the text. Empty lines say nothing.
/// - A byte order mark at the start is ignored. Bytes that are not UTF-8 are refused.
/// - White space belongs to the field that it stands in.
///
/// After an error in a row the rows behind it can still be read. There are no rows without a header in order, and none
/// behind a limit.
package struct CSVReader: Sendable {
    /// What a text may ask of memory before it is refused.
    package struct Limits: Sendable {
        /// The greatest number of columns.
        package var maximumFields = 16_384
        /// The greatest size of a record, in bytes.
        package var maximumRecordBytes = 64 << 20

        /// The usual limits.
        package init() {}
    }

    private let limits: Limits
    private var header: CSVHeader?
    private var recordEnd = CSVRecordEnd()
    /// The beginning of a record whose end has not come yet.
    private var openRecord: [UInt8] = []
    /// Where the record begins in the text.
    private var offset = 0
    private var line = 1
    private var isBehindCarriageReturn = false
    private var isStopped = false

    /// A reader at the start of a text.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The names of the columns, once the header has been read.
    package var names: [String]? { header?.names }

    /// The rows of a whole text.
    package static func rows(of text: [UInt8], limits: Limits = Limits()) throws(CSVSyntaxError) -> [JSON] {
        var reader = CSVReader(limits: limits)
        var rest = text[...]
        var rows: [JSON] = []
        while let row = try reader.nextRow(in: &rest) { rows.append(row.value) }
        if let row = try reader.finish() { rows.append(row.value) }
        return rows
    }

    /// The next row, whose bytes are taken off the front of a piece of the text.
    ///
    /// - Parameter text: What has come of the text and has not been taken yet.
    /// - Returns: The row; `nil` when its end has not come yet, and then the piece is used up.
    package mutating func nextRow(in text: inout ArraySlice<UInt8>) throws(CSVSyntaxError) -> CSVRow? {
        while !text.isEmpty, !isStopped {
            if isBehindCarriageReturn {
                isBehindCarriageReturn = false
                if text.first == UInt8(ascii: "\n") {
                    text.removeFirst()
                    offset += 1
                    continue
                }
            }
            let end = text.withUnsafeBufferPointer { recordEnd.scan($0) }
            let part = text.prefix(end ?? text.count)
            guard openRecord.count + part.count <= limits.maximumRecordBytes else { throw tooLarge() }
            text = text.dropFirst(part.count)
            guard end != nil else {
                openRecord += part
                return nil
            }
            isBehindCarriageReturn = text.removeFirst() == UInt8(ascii: "\r")
            if let row = try take(part, lineBreak: 1) { return row }
        }
        text = text.suffix(0)
        return nil
    }

    /// The row that ends with the text, if there is one; nothing more may come after it.
    package mutating func finish() throws(CSVSyntaxError) -> CSVRow? {
        guard !isStopped else { return nil }
        return try take([], lineBreak: 0)
    }

    /// Reads the record that ends with these bytes; `nil` where it is the header, or an empty line.
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
                self.header = try record.withUnsafeBufferPointer { (bytes) throws(CSVError) in
                    try CSVHeader(bytes, from: markLength, maximumFields: limits.maximumFields)
                }
                return nil
            }
            let object = try record.withUnsafeBufferPointer { (bytes) throws(CSVError) in
                try header.object(of: bytes)
            }
            return CSVRow(value: .object(object), range: start..<start + record.count)
        } catch {
            isStopped = header == nil
            throw Self.error(error, in: record, offset: start, line: startLine)
        }
    }

    private mutating func tooLarge() -> CSVSyntaxError {
        isStopped = true
        openRecord = []
        return CSVSyntaxError(
            message: "the row has more than \(limits.maximumRecordBytes) bytes",
            help: "A quote that is never closed makes a row of all that follows.",
            range: offset..<offset + 1,
            position: SourcePosition(line: line, column: 1)
        )
    }

    /// A fault of a record, which always begins with a line, as an error of the text.
    private static func error(
        _ fault: CSVError,
        in record: ArraySlice<UInt8>,
        offset: Int,
        line: Int
    ) -> CSVSyntaxError {
        let before = record.prefix(fault.range.lowerBound)
        var lastLine = before.suffix(while: { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
        // No editor shows a byte order mark as a column.
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

    /// How many line breaks there are, CR LF counted as one.
    private static func lineBreaks(in bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var count = 0
            var isBehindCarriageReturn = false
            for byte in bytes {
                if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && !isBehindCarriageReturn { count += 1 }
                isBehindCarriageReturn = byte == UInt8(ascii: "\r")
            }
            return count
        }
    }
}

extension ArraySlice {
    /// The longest end of the slice whose elements all satisfy a condition.
    fileprivate func suffix(while condition: (Element) -> Bool) -> ArraySlice {
        self[(lastIndex { !condition($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
