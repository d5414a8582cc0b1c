import Testing
import WaybillTestSupport

@testable import WaybillFormats
@testable import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct PropertyListWriterTests {
    @Test func `a value is written as other programs write it`() throws {
        let value: JSON = [
            "name": "a < b & \"c\" > 'd'\r\n", "list": [1, 2.5, true, false, []], "none": [:], "<&>": "",
        ]
        #expect(
            String(decoding: try PropertyListWriter.xml(value), as: UTF8.self) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                \t<key>name</key>
                \t<string>a &lt; b &amp; "c" &gt; 'd'&#13;
                </string>
                \t<key>list</key>
                \t<array>
                \t\t<integer>1</integer>
                \t\t<real>2.5</real>
                \t\t<true/>
                \t\t<false/>
                \t\t<array/>
                \t</array>
                \t<key>none</key>
                \t<dict/>
                \t<key>&lt;&amp;&gt;</key>
                \t<string></string>
                </dict>
                </plist>

                """
        )
    }

    @Test(
        arguments: [
            ("-9223372036854775808", "integer"), ("18446744073709551615", "integer"), ("0", "integer"), ("1.0", "real"),
            ("1e3", "real"), ("-0.5E-10", "real"), ("3.14159265358979323846", "real"),
        ]
    )
    func `a number keeps its digits`(_ digits: String, _ element: String) throws {
        let number = try #require(JSONNumber(parsing: digits))
        let text = String(decoding: try PropertyListWriter.xml(.number(number)), as: UTF8.self)
        #expect(text.contains("<\(element)>\(digits)</\(element)>"))
    }

    @Test(
        arguments: [
            ("null", "property lists cannot contain null", "property lists cannot contain null"),
            (
                #"{"a/b": [1, {"c": null}]}"#, "property lists cannot contain null",
                "property lists cannot contain null, at /a~1b/1/c"
            ),
            (
                "[18446744073709551616]",
                "the integer 18446744073709551616 does not fit into the 64 bits of a property list", nil
            ),
            (
                "[-9223372036854775809]",
                "the integer -9223372036854775809 does not fit into the 64 bits of a property list", nil
            ),
            ("[1e400]", "the number 1e400 is too large for a property list", nil),
            (#"["a\u0001"]"#, "XML does not allow the character U+0001", nil),
            (#"{"a\u0000": 1}"#, "XML does not allow the character U+0000", nil),
            ("[\"\u{FFFE}\"]", "XML does not allow the character U+FFFE", nil),
        ] as [(String, String, String?)]
    )
    func `a value that a property list cannot contain is rejected with its path`(
        _ text: String,
        _ message: String,
        _ description: String?
    ) throws {
        let value = try JSONParser().parse(Array(text.utf8))
        let error = try #require(throws: PropertyListError.self) { try PropertyListWriter.xml(value) }
        #expect(error.message == message)
        if let description { #expect(error.description == description) }
    }

    @Test func `a value of the maximum depth is written and read back, and a deeper one is rejected`() throws {
        var value: JSON = 1
        for level in 0..<JSON.greatestDepth { value = level.isMultiple(of: 2) ? [value] : ["a": value] }
        var parser = PropertyListParser()
        parser.maximumDepth = .max
        #expect(try parser.parse(PropertyListWriter.xml(value)) == value)
        #expect(throws: PropertyListError.self) { try PropertyListWriter.xml([value]) }
    }

    @Test(arguments: 0..<200)
    func `any value that is written is read back unchanged`(_ seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let value = PropertyListSample.value(&random, depth: 4)
        #expect(try PropertyListParser().parse(PropertyListWriter.xml(value)) == value)
    }
}

/// Random values that property lists can contain.
enum PropertyListSample {
    static func value(_ random: inout SplitMix, depth: Int) -> JSON {
        switch random.next(below: depth > 0 ? 8 : 5) {
        case 0: return .bool(random.next(below: 2) == 0)
        case 1: return .number(JSONNumber(random.next(below: .max) - random.next(below: .max)))
        case 2: return JSONNumber(Double(random.next(below: 1 << 53)) / 1024).map { .number($0) } ?? 0
        case 3, 4: return .string(text(&random))
        case 5: return .array((0..<random.next(below: 5)).map { _ in value(&random, depth: depth - 1) })
        default:
            var members = JSONObject()
            for _ in 0..<random.next(below: 5) { members[text(&random)] = value(&random, depth: depth - 1) }
            return .object(members)
        }
    }

    private static func text(_ random: inout SplitMix) -> String {
        let alphabet = Array("ab <>&'\"]\r\n\té€𝄞\u{301}\u{7F}\u{2028}\u{FFFD}".unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<random.next(below: 20) { text.append(alphabet[random.next(below: alphabet.count)]) }
        return String(text)
    }
}
