package import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON

/// One JSON value. Records are written as an array with one record per line.
package struct JSONFormat: ReadableRecordFormat, WritableRecordFormat {
    package static let name = "json"
    package static let extensions = ["json"]
    package static let isList = false

    package static func read(_ file: DataFile, _ body: (DataDocument) -> Bool) -> [Diagnostic] {
        read(0..<file.bytes.count, of: file, body).diagnostics
    }

    /// Reads the JSON value in a range of bytes of a file.
    static func read(
        _ part: Range<Int>,
        of file: DataFile,
        _ body: (DataDocument) -> Bool
    ) -> (diagnostics: [Diagnostic], continues: Bool) {
        let document: JSONDocument
        do {
            document = try JSONParser().parseDocument(file.bytes[part])
        } catch {
            return ([file.diagnostic(for: error, in: part)], true)
        }
        let continues = body(DataDocument(value: document.value, origin: .json(file, part)))
        return (document.duplicateName.map { [file.warning(duplicate: $0, in: part)] } ?? [], continues)
    }

    package init(columns: [String]? = nil) {}

    // A waiting record starts with the comma that every record but the first needs.
    package mutating func append(_ record: JSON, isFirst: Bool, to file: inout [UInt8]) {
        file.append(UInt8(ascii: isFirst ? "[" : ","))
        file.append(UInt8(ascii: "\n"))
        JSONWriter(stopsAtDeadline: true).write(record, to: &file)
    }

    package mutating func release(_ held: [UInt8], isFirst: Bool, to file: inout [UInt8]) {
        let start = file.count
        file += held
        if isFirst, start < file.count { file[start] = UInt8(ascii: "[") }
    }

    package func end(hasRecords: Bool) -> [UInt8] {
        Array((hasRecords ? "\n]\n" : "[]\n").utf8)
    }
}

extension DataFile {
    fileprivate func diagnostic(for error: JSONSyntaxError, in part: Range<Int>) -> Diagnostic {
        if bytes[part].allSatisfy({ " \t\r\n".utf8.contains($0) }) {
            return Diagnostic("empty-file", "the file is empty", at: source.span(part.lowerBound..<part.lowerBound))
        }
        var start = part.lowerBound + error.offset
        var end = min(start + 1, part.upperBound)
        if start == part.upperBound {
            // An unexpected end is reported after the last character.
            while start > part.lowerBound, bytes[start - 1] <= UInt8(ascii: " ") { start -= 1 }
            end = start
        }
        while end < part.upperBound, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return Diagnostic("json-syntax", error.message, at: source.span(start..<end))
    }

    fileprivate func warning(duplicate: (name: String, offset: Int), in part: Range<Int>) -> Diagnostic {
        let start = part.lowerBound + duplicate.offset
        var end = start + 1
        while end < part.upperBound, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return Diagnostic(
            "duplicate-key",
            "'\(duplicate.name)' is repeated in its object; the last value is used",
            severity: .warning,
            at: source.span(start..<min(end + 1, part.upperBound))
        )
    }
}
