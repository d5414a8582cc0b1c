import Testing
import WaybillFormats
import WaybillJSON
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct CSVWriterTests {
    @Test(
        arguments: [
            ([.null, "", "x"], ",,x"),
            ([1.10, true, false, -0.5], "1.1,true,false,-0.5"),
            (["a,b", "a\"b", "a\rb", "a\nb"], "\"a,b\",\"a\"\"b\",\"a\rb\",\"a\nb\""),
            ([" a ", "é", "'", ";"], " a ,é,',;"),
            ([[1, "x"], ["a": .null], [], [:]], "\"[1,\"\"x\"\"]\",\"{\"\"a\"\":null}\",[],{}"),
            ([""], "\"\""),
            ([.null], "\"\""),
            ([], ""),
            (["\u{FEFF}a"], "\"\u{FEFF}a\""),
        ] as [([JSON], String)]
    )
    func `a row is written with quotes only where they are required`(_ row: [JSON], _ text: String) {
        var bytes: [UInt8] = []
        CSVWriter().write(row, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self).unicodeScalars.elementsEqual((text + "\r\n").unicodeScalars))
    }

    @Test func `numbers keep their digits`() throws {
        let number = try #require(JSONNumber(parsing: "1.10"))
        var bytes: [UInt8] = []
        CSVWriter().write([.number(number)], to: &bytes)
        #expect(bytes == Array("1.10\r\n".utf8))
    }

    @Test func `strings and names that are formulas start with an apostrophe on request, and numbers do not`() {
        let writer = CSVWriter(escapesFormulas: true)
        var bytes: [UInt8] = []
        writer.write(header: ["=a", "b"], to: &bytes)
        writer.write(["=1+1", "+a", "-a", "@a", "\ta", "\ra", "a=", "'", "", -1, ["=a"]], to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "'=a,b\r\n'=1+1,'+a,'-a,'@a,'\ta,\"'\ra\",a=,',,-1,\"[\"\"=a\"\"]\"\r\n"
        )
        #expect(["'=a", "'b", "=c"].map(writer.name(fromHeader:)) == ["=a", "'b", "=c"])
    }

    @Test func `rows end with CR LF`() {
        var bytes: [UInt8] = []
        let writer = CSVWriter()
        writer.write(header: ["a", "b"], to: &bytes)
        writer.write(["1", "2"], to: &bytes)
        #expect(bytes == Array("a,b\r\n1,2\r\n".utf8))
    }

    @Test(arguments: 0..<200)
    func `any strings that are written are read back unchanged`(_ seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let alphabet = Array("\"\"\",,\n\r\u{FEFF} ax'é𝄞\u{301}".unicodeScalars)
        func text(_ random: inout SplitMix) -> String {
            var text = String.UnicodeScalarView()
            for _ in 0..<random.next(below: 6) { text.append(alphabet[random.next(below: alphabet.count)]) }
            return String(text)
        }
        let columns = 1 + random.next(below: 20)
        let names = (0..<columns).map { text(&random) + "\($0)" }
        let rows = (0..<random.next(below: 8)).map { _ in (0..<columns).map { _ in text(&random) } }
        let expected = rows.map { JSON.object(JSONObject(zip(names, $0.map { .string($0) }).map { ($0, $1) })) }
        var bytes: [UInt8] = []
        CSVWriter().write(header: names, to: &bytes)
        for row in rows { CSVWriter().write(row.map { .string($0) }, to: &bytes) }
        #expect(try CSVReader.rows(of: bytes) == expected)
        // The text has the same rows if its lines end with LF.
        let isOfOneLine = (names + rows.joined()).allSatisfy { !$0.unicodeScalars.contains("\r") }
        if isOfOneLine { #expect(try CSVReader.rows(of: bytes.filter { $0 != 0x0D }) == expected) }
    }
}
