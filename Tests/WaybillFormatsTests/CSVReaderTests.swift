import Testing
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct CSVReaderTests {
    static let texts: [(text: String, rows: [JSON])] = [
        ("", []),
        ("\n\r\n", []),
        ("a,b", []),
        ("a,b\n1,2", [["a": "1", "b": "2"]]),
        ("a,b\r\n1,2\r\n3,4\r\n", [["a": "1", "b": "2"], ["a": "3", "b": "4"]]),
        ("a,b\r1,2\r3,4\r", [["a": "1", "b": "2"], ["a": "3", "b": "4"]]),
        ("\u{FEFF}a\n1\n", [["a": "1"]]),
        ("\u{FEFF}\"a\"\n1\n", [["a": "1"]]),
        ("a\n\u{FEFF}1\n", [["a": "\u{FEFF}1"]]),
        ("\n\na\n\n1\n\n\n2\n\n", [["a": "1"], ["a": "2"]]),
        ("a\n\"\"\n", [["a": ""]]),
        ("a,b\n,\n", [["a": "", "b": ""]]),
        ("a,b\n , x \n", [["a": " ", "b": " x "]]),
        ("a,b\n\"1,\"\"2\"\"\",\"x\r\ny\nz\"\n", [["a": "1,\"2\"", "b": "x\r\ny\nz"]]),
        ("a\n\"\"\"\"\"\"\n", [["a": "\"\""]]),
        ("\"a\"\"b\",\"c\nd\"\nü,𝄞", [["a\"b": "ü", "c\nd": "𝄞"]]),
        ("\u{E9},e\u{301}\n1,2\n", [["\u{E9}": "1", "e\u{301}": "2"]]),
        ("a\n\0\n", [["a": "\0"]]),
    ]

    @Test(arguments: texts)
    func `a file has the expected rows`(_ text: String, _ rows: [JSON]) throws {
        #expect(try CSVReader.rows(of: Array(text.utf8)) == rows)
    }

    @Test(arguments: texts, [1, 2, 3, 5])
    func `the rows and their positions do not depend on how the input is split`(
        _ expected: (text: String, rows: [JSON]),
        _ size: Int
    ) throws {
        let text = Array(expected.text.utf8)
        var reader = CSVReader()
        var rows: [CSVRow] = []
        for start in stride(from: 0, to: text.count, by: size) {
            var piece = text[start..<min(start + size, text.count)]
            while let row = try reader.nextRow(in: &piece) { rows.append(row) }
            #expect(piece.isEmpty)
        }
        if let row = try reader.finish() { rows.append(row) }
        #expect(try reader.finish() == nil)
        #expect(rows.map(\.value) == expected.rows)
        for row in rows {
            let header = try CSVReader.names(of: text)
            let line = CSVText.bytes([header]) + text[row.range]
            #expect(try CSVReader.rows(of: line) == [row.value])
        }
    }

    static let faults: [(text: String, message: String, fault: String, position: (Int, Int))] = [
        ("a,b\n1\n", "the row has 1 field, but the header has 2 names", "1", (2, 1)),
        ("a\n1\n2,3,4\n", "the row has 3 fields, but the header has 1 name", "3,4", (3, 3)),
        ("a,b\n\"ü\r\nü\",x\"y\n", "unexpected quote in a field that does not start with one", "\"", (3, 5)),
        ("a\nx \"y\"", "unexpected quote in a field that does not start with one", "\"", (2, 3)),
        ("a\n\"y\" ", "expected a comma or the end of the line after the closing quote", " ", (2, 4)),
        ("a\n\n1\n\"2\n3,4\n", "the quote that starts this field is never closed", "\"", (4, 1)),
        ("a,b,\n1,2,3", "column 3 has no name", "", (1, 5)),
        ("\u{FEFF}a,\"\",b\n", "column 2 has no name", "\"\"", (1, 3)),
        ("a,b,a\n1,2,3", "two columns are named 'a'", "a", (1, 5)),
        ("a\r1\r2,3\r", "the row has 2 fields, but the header has 1 name", "3", (3, 3)),
    ]

    @Test(arguments: faults)
    func `a syntax error is reported with its location`(
        _ text: String,
        _ message: String,
        _ fault: String,
        _ position: (line: Int, column: Int)
    ) throws {
        let bytes = Array(text.utf8)
        let error = try #require(throws: CSVSyntaxError.self) { try CSVReader.rows(of: bytes) }
        #expect(error.message == message)
        #expect(String(decoding: bytes[error.range], as: UTF8.self) == fault)
        #expect(error.position == SourcePosition(line: position.line, column: position.column))
        #expect(SourceFile(name: "", bytes: bytes).position(at: error.offset) == error.position)
    }

    @Test(arguments: [[0xFF], [0xC3], [0x22, 0xE2, 0x82, 0x22], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func `invalid UTF-8 is rejected at its first byte`(_ field: [UInt8]) throws {
        let before = Array("a,b\né,".utf8)
        let error = try #require(throws: CSVSyntaxError.self) { try CSVReader.rows(of: before + field) }
        #expect(error.message == "the text is not valid UTF-8")
        #expect(error.offset == before.count + (field[0] == 0x22 ? 1 : 0))
    }

    @Test func `the rows after an invalid row are still read`() throws {
        var reader = CSVReader()
        var rest = Array("a,b\n1\n1,2\n\"x\"y,\n3,4\n5,6,7".utf8)[...]
        var rows: [JSON] = []
        var errors: [Int] = []
        while true {
            do {
                var row = try reader.nextRow(in: &rest)
                if row == nil { row = try reader.finish() }
                guard let row else { break }
                rows.append(row.value)
            } catch {
                errors.append(error.position.line)
            }
        }
        #expect(rows == [["a": "1", "b": "2"], ["a": "3", "b": "4"]])
        #expect(errors == [2, 4, 6])
    }

    @Test(arguments: ["a,a\n1,2\n", "a,\n1,2\n", "\"a\n1,2\n"])
    func `without a valid header there are no rows`(_ text: String) throws {
        var reader = CSVReader()
        var rest = Array(text.utf8)[...]
        #expect(throws: CSVSyntaxError.self) {
            _ = try reader.nextRow(in: &rest)
            _ = try reader.finish()
        }
        rest = Array("1,2\n".utf8)[...]
        #expect(try reader.nextRow(in: &rest) == nil)
        #expect(try reader.finish() == nil)
    }

    @Test func `rows and headers beyond the limits are rejected`() throws {
        var limits = CSVReader.Limits()
        limits.maximumFields = 3
        limits.maximumRecordBytes = 10
        let wide = try #require(throws: CSVSyntaxError.self) {
            try CSVReader.rows(of: Array("a,b,c,d\n".utf8), limits: limits)
        }
        #expect(wide.message == "the header has more than 3 names")
        #expect(try CSVReader.rows(of: Array("a\n0123456789".utf8), limits: limits) == [["a": "0123456789"]])

        limits.maximumFieldsOfText = 4
        #expect(try CSVReader.rows(of: Array("a,b\n,\n,\n".utf8), limits: limits).count == 2)
        let many = try #require(throws: CSVSyntaxError.self) {
            try CSVReader.rows(of: Array("a,b\n,\n,\n,\n".utf8), limits: limits)
        }
        #expect(many.message == "the text has more than 4 fields")

        var reader = CSVReader(limits: limits)
        var header = Array("a\n\"".utf8)[...]
        #expect(try reader.nextRow(in: &header) == nil)
        let long = try #require(throws: CSVSyntaxError.self) {
            for _ in 0..<10 {
                var piece = Array("x\ny".utf8)[...]
                while try reader.nextRow(in: &piece) != nil {}
            }
        }
        #expect(long.message == "the row has more than 10 bytes")
        #expect(long.position == SourcePosition(line: 2, column: 1))
    }

    @Test func `the fields of a wide row have the correct names`() throws {
        let names = (0..<200).map { "column \($0)" }
        let rows = try CSVReader.rows(of: CSVText.bytes([names, names.reversed()]))
        #expect(rows[0]["column 17"] == "column 182")
        #expect(rows[0].object?.names == names)
    }
}

extension CSVReader {
    /// The names in the header of a file; empty if there is no header.
    fileprivate static func names(of text: [UInt8]) throws -> [String] {
        var reader = CSVReader()
        var rest = text[...]
        _ = try reader.nextRow(in: &rest)
        _ = try reader.finish()
        return reader.names ?? []
    }
}

/// CSV in its simplest form, with every field quoted.
enum CSVText {
    static func bytes(_ records: [[String]]) -> [UInt8] {
        let lines = records.map { record in
            record.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",") + "\n"
        }
        return Array(lines.joined().utf8)
    }
}
