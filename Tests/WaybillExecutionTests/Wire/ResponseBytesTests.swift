import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillResults
import WaybillTestSupport

/// How the bytes of a response from a server are decoded.
@Suite(.timeLimit(.minutes(5))) struct ResponseBytesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// The Content-Type; nil for none.
        let type: String?
        let body: [UInt8]
        var decoding = "auto"
        /// The data as JSON.
        let data: String

        var testDescription: String { name }
    }

    private static func utf16(_ text: String, bigEndian: Bool = false) -> [UInt8] {
        text.utf16.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let plist = Array(
        "<plist version=\"1.0\"><dict><key>a</key><integer>1</integer></dict></plist>".utf8
    )
    /// `{a: 1}` in Apple's binary format.
    private static let binaryPlist: [UInt8] =
        Array("bplist00".utf8) + [0xD1, 0x01, 0x02, 0x51, 0x61, 0x10, 0x01, 0x08, 0x0B, 0x0D]
        + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0F]

    @Test(arguments: [
        Case(name: "JSON", type: "application/json", body: Array(#"{"a": 1.10}"#.utf8), data: #"{"a": 1.10}"#),
        Case(name: "JSON by its suffix", type: "Application/HAL+JSON; x=y", body: Array("[1]".utf8), data: "[1]"),
        Case(name: "JSON as text/json", type: "text/json", body: Array("[1]".utf8), data: "[1]"),
        Case(name: "JSON with a mark", type: "application/json", body: mark + Array("[1]".utf8), data: "[1]"),
        Case(
            name: "JSON in a character set whose bytes would also be valid UTF-8",
            type: "application/json; charset=GBK",
            body: [0x22, 0xD0, 0xA1, 0x22],
            data: #""小""#
        ),
        Case(
            name: "JSON in ISO-2022-JP, whose bytes are ASCII",
            type: "application/json; charset=iso-2022-jp",
            body: [0x22, 0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x22],
            data: #""日""#
        ),
        Case(
            name: "JSON in a character set that nobody knows, which is UTF-8",
            type: "application/json; charset=klingon",
            body: Array(#"["ü"]"#.utf8),
            data: #"["ü"]"#
        ),
        Case(
            name: "JSON lines in Shift_JIS",
            type: "application/x-ndjson; charset=Shift_JIS",
            body: [0x22, 0x93, 0xFA, 0x22, 0x0A, 0x31],
            data: #"["日", 1]"#
        ),
        Case(
            name: "JSON in ISO 8859-1, as the type says",
            type: "application/json; charset=iso-8859-1",
            body: [0x22, 0xFC, 0x22],
            data: #""ü""#
        ),
        Case(
            name: "JSON lines",
            type: "application/x-ndjson",
            body: Array("{\"a\": 1}\r\n\n[2]\n".utf8),
            data: #"[{"a": 1}, [2]]"#
        ),
        Case(
            name: "JSON lines with a mark",
            type: "application/jsonl",
            body: mark + [0x31, 0x0A, 0x32],
            data: "[1, 2]"
        ),
        Case(name: "CSV", type: "text/csv", body: Array("a,b\r\nü,\n".utf8), data: #"[{"a": "ü", "b": ""}]"#),
        Case(name: "CSV with a mark", type: "text/csv", body: mark + Array("a\n1\n".utf8), data: #"[{"a": "1"}]"#),
        Case(
            name: "CSV in windows-1252",
            type: "text/csv; charset=windows-1252",
            body: [0x61, 0x0A, 0x80, 0xFC, 0x0A],
            data: #"[{"a": "€ü"}]"#
        ),
        Case(
            name: "CSV in UTF-16, as spreadsheets write it",
            type: "text/csv",
            body: [0xFF, 0xFE] + utf16("a\r\n☃\r\n"),
            data: #"[{"a": "☃"}]"#
        ),
        Case(name: "a property list in XML", type: "application/x-plist", body: plist, data: #"{"a": 1}"#),
        Case(name: "a binary property list", type: "application/x-plist", body: binaryPlist, data: #"{"a": 1}"#),
        Case(
            name: "a binary property list of another type",
            type: "application/octet-stream",
            body: binaryPlist,
            decoding: "plist",
            data: #"{"a": 1}"#
        ),
        Case(name: "text", type: "text/plain", body: Array("hü\n".utf8), data: #""hü\n""#),
        Case(name: "text with a mark", type: "text/plain", body: mark + Array("hü".utf8), data: #""hü""#),
        Case(name: "text that is a mark", type: "text/plain", body: mark, data: #""""#),
        Case(
            name: "text in ISO 8859-1",
            type: "text/html; Charset=\"ISO-8859-1\"",
            body: [0x68, 0xFC],
            data: #""hü""#
        ),
        Case(name: "text in ASCII", type: "text/plain;charset=us-ascii", body: [0x68], data: #""h""#),
        Case(
            name: "text in windows-1252",
            type: "text/plain; charset=windows-1252",
            body: [0x80, 0x93, 0x99, 0x9F, 0x81, 0xFF],
            data: #""€“™Ÿ\u0081ÿ""#
        ),
        Case(
            name: "text in UTF-16 in big endian, by its mark",
            type: "text/plain; charset=utf-16",
            body: [0xFE, 0xFF] + utf16("h😀", bigEndian: true),
            data: #""h😀""#
        ),
        Case(
            name: "text in UTF-32 with a mark that starts as that of UTF-16",
            type: "text/plain; charset=utf-32",
            body: [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0],
            data: #""a""#
        ),
        Case(
            name: "text in UTF-16 without a mark",
            type: "text/plain; charset=utf-16",
            body: utf16("hü"),
            data: #""hü""#
        ),
        Case(
            name: "a mark goes before what the type says",
            type: "text/plain; charset=windows-1252",
            body: mark + Array("ü".utf8),
            data: #""ü""#
        ),
        Case(name: "XML by its suffix", type: "image/svg+xml", body: Array("<svg/>".utf8), data: #""<svg/>""#),
        Case(
            name: "text in UTF-16 without a type, by its mark",
            type: nil,
            body: [0xFF, 0xFE] + utf16("h☃"),
            data: #""h☃""#
        ),
        Case(
            name: "text in GBK",
            type: "text/plain; charset=gbk",
            body: [0x68, 0xC4, 0xE3, 0xBA, 0xC3],
            data: #""h你好""#
        ),
        Case(name: "text in Big5", type: "text/plain; charset=big5", body: [0xA7, 0x41], data: #""你""#),
        Case(name: "text in EUC-KR", type: "text/plain; charset=ks_c_5601-1987", body: [0xB0, 0xA1], data: #""가""#),
        Case(name: "text in KOI8-R", type: "text/plain; charset=koi8-r", body: [0xC1], data: #""а""#),
        Case(name: "text in ISO 8859-2", type: "text/plain; charset=latin2", body: [0xB3], data: #""ł""#),
        Case(
            name: "a long text in EUC-JP",
            type: "text/plain; charset=euc-jp",
            body: Array(repeating: [0xC6, 0xFC] as [UInt8], count: 5000).flatMap(\.self),
            data: "\"" + String(repeating: "日", count: 5000) + "\""
        ),
        Case(
            name: "CSV in GB18030",
            type: "text/csv; charset=gb18030",
            body: [0x61, 0x0A, 0xC4, 0xE3],
            data: #"[{"a": "你"}]"#
        ),
        Case(name: "bytes", type: "image/png", body: [0, 255], data: #""AP8=""#),
        Case(name: "text as bytes", type: "text/plain", body: [0x68], decoding: "bytes", data: #""aA==""#),
        Case(name: "JSON as text", type: "application/json", body: [0x31], decoding: "text", data: #""1""#),
        Case(name: "text without a type", type: nil, body: Array("hü".utf8), data: #""hü""#),
        Case(name: "bytes without a type", type: nil, body: [0xFF], data: #""/w==""#),
        Case(name: "bytes of a type that is none", type: "nonsense", body: [0x31], data: #""MQ==""#),
        Case(name: "nothing of JSON", type: "application/json", body: [], data: "null"),
        Case(name: "nothing, as a text", type: "text/plain", body: [], decoding: "text", data: "null"),
    ])
    func `a response is decoded by its type, its byte order mark and the setting`(_ example: Case) async throws {
        let exchange = try await exchange(example.type, example.body, decoding: example.decoding)
        let words = exchange.failure?.message.string ?? "no data"
        let data = try #require(exchange.data, "\(words)")
        #expect(data.bytesAsBase64 == (try JSONParser().parse(Array(example.data.utf8))))
    }

    @Test(
        arguments: [
            (
                "text/plain; charset=klingon", [0x68], "text",
                "the response is in the character set 'klingon', which is not"
            ),
            (
                "text/csv; charset=\"utf-8//IGNORE\"", [0x68], "auto",
                "the response is in the character set 'utf-8//ignore', which is not supported"
            ),
            ("text/plain", [0xFF], "text", "the response is not valid UTF-8"),
            ("text/plain; charset=gbk", [0xC4], "text", "the response is not valid gbk"),
            ("text/plain; charset=euc-kr", [0xFF, 0xFF], "text", "the response is not valid euc-kr"),
            ("text/plain; charset=utf-16", [0x00], "text", "the response is not valid UTF-16"),
            ("text/plain; charset=utf-16le", [0x00, 0xD8], "text", "the response is not valid UTF-16"),
            ("application/json", [0x22, 0xFC, 0x22], "auto", "the response is not JSON: "),
            (
                "application/json", [0xFF, 0xFE] + utf16("[1]"), "auto",
                "the response is JSON in UTF-16, but JSON must be"
            ),
            ("application/json; charset=utf-16be", utf16("[1]", bigEndian: true), "auto", "the response is JSON in"),
            ("text/plain", [0xFE, 0xFF] + utf16("[1]", bigEndian: true), "ndjson", "the response is JSON in UTF-16"),
            ("application/json; charset=klingon", [0x22, 0xFC, 0x22], "auto", "the response is not JSON: "),
            ("text/csv", [0x61, 0x0A, 0xFF], "auto", "the response is not valid UTF-8"),
            ("application/x-plist", Array("bplist00".utf8), "auto", "the response is not a property list: "),
        ] as [(String, [UInt8], String, String)]
    )
    func `a response that does not match its content type is refused with a message`(
        type: String,
        body: [UInt8],
        decoding: String,
        words: String
    ) async throws {
        let failure = try await exchange(type, body, decoding: decoding).failure
        #expect(failure?.kind == .decode)
        #expect(failure?.message.string.hasPrefix(words) == true, "\(failure?.message.string ?? "it passed")")
    }

    private func exchange(_ type: String?, _ body: [UInt8], decoding: String) async throws -> WireExchange {
        try await WireExchange.run(
            "{id: a, get: /a, decoding: \(decoding)}",
            answer: ServerResponse(headers: type.map { [("Content-Type", $0)] } ?? [], body: body)
        )
    }
}
