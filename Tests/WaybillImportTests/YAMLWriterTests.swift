import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillTestSupport

@testable import WaybillImport

struct YAMLWriterTests {
    /// Strings that YAML would read as something else, or not at all, without quotes.
    private static let strings = [
        "", " ", "a", "a b", "1", "1.10", "-1", "0x1F", "1e5", "true", "null", "~", "Null", ".inf", "yes", "2026-11-27",
        "12:30",
        "a: b", "a:b", "a:", "a #b", "a#b", "#a", "- a", "-a", "-", "?", "? a", ":", ":a", "&a", "*a", "!a", "|", ">",
        "%a", "@a", "`a",
        "'a'", "\"a\"", "a'b", "a\"b", "a\\b", "'\"\\", "{a}", "[a]", "a, b", "a]", "}", "${inputs.a}",
        "https://a.b/c?d=e#f", "---", "...",
        "a\tb", "a\nb", "a\n", "\na", "a\n\n", "a\n b\n", " a\nb", "a\r\nb", "\u{0}", "\u{7F}", "\u{85}", "\u{2028}",
        "\u{FEFF}", "\u{200B}a",
        "\u{202E}a", "é", "😀", "\u{E000}", "<<", "=", "a ", " a", "a\n\n\nb", "a\\nb", "\t", "\"", "'",
    ]

    @Test(arguments: strings)
    func `a string is read as it was written, in blocks and in braces`(_ string: String) throws {
        let nested = ManifestNode.map(("in", .list(of: [.map((string, .plain(string))), .plain(string)])))
        let entries = [
            ManifestEntry("top", .plain(string)), ManifestEntry("list", .list(of: [.plain(string)])),
            ManifestEntry("a", nested),
        ]
        let json = try Self.read(entries)
        #expect(json["top"] == .string(string))
        #expect(json["list"]?[0] == .string(string))
        #expect(json["a"]?["in"]?[1] == .string(string))
        #expect(json["a"]?["in"]?[0] == .object(JSONObject([(name: string, value: JSON.string(string))])))
    }

    @Test func `any string is read as it was written`() throws {
        var random = SplitMix(state: 7)
        let letters = Array("ab01 -:#{}[],&*!|>'\"%@`\\\n\t${}.~?=é\u{85}\u{1F}".unicodeScalars)
        for _ in 0..<2_000 {
            var string = String.UnicodeScalarView()
            for _ in 0..<random.next(below: 12) { string.append(letters[random.next(below: letters.count)]) }
            let text = String(string)
            let entries = [
                ManifestEntry("a", .plain(text)), ManifestEntry("b", .map(("c", .list(of: [.plain(text)])))),
            ]
            let json = try Self.read(entries)
            #expect(json["a"] == .string(text) && json["b"]?["c"]?[0] == .string(text), "\(text.debugDescription)")
        }
    }

    @Test func `a short map is in one line, a long one is not, and comments are before their entries`() {
        var writer = YAMLWriter()
        let long = (1...12).map { ManifestEntry("a-long-name-\($0)", .text("value")) }
        writer.write([
            ManifestEntry("short", .map(("a", .text("1.10")), ("b", .string("1.10")))),
            ManifestEntry(
                "long",
                .map(Array(long.prefix(1)) + [ManifestEntry("b", .text("c"), comments: ["why", "two\nlines"])])
            ),
            ManifestEntry(
                "steps",
                .list([
                    ManifestEntry(
                        nil,
                        .map([ManifestEntry("id", .string("a")), ManifestEntry("get", .string("/"))], isOpen: true)
                    )
                ])
            ),
            ManifestEntry("text", .string("a\nb\n")),
        ])
        #expect(
            writer.text == """
                short: {a: 1.10, b: "1.10"}
                long:
                  a-long-name-1: value
                  # why
                  # two
                  # lines
                  b: c
                steps:
                  - id: a
                    get: /
                text: |
                  a
                  b

                """
        )
    }

    private static func read(_ entries: [ManifestEntry]) throws -> JSON {
        var writer = YAMLWriter()
        writer.write(entries)
        let (document, diagnostics) = YAMLReader().read(SourceFile(name: "written", text: writer.text))
        return try #require(document, "\(writer.text)\(HumanRenderer().render(diagnostics))").json
    }
}
