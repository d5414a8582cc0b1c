import Testing

@testable import WaybillFormats
@testable import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct PropertyListParserTests {
    private func document(_ value: String) -> [UInt8] {
        Array("<plist version=\"1.0\">\(value)</plist>".utf8)
    }

    @Test(
        arguments: [
            ("<string>a &amp; b &lt;&gt;&quot;&apos; &#65;&#x1D11E;</string>", "a & b <>\"' A\u{1D11E}"),
            ("<string> a\r\nb\rc\t</string>", " a\nb\nc\t"),
            ("<string>a<!-- & < -->b<![CDATA[<c> & ]]>d<?e f?></string>", "ab<c> & d"),
            ("<string/>", ""),
            ("<string></string>", ""),
            ("<integer>0</integer>", 0),
            ("<integer> -12\n</integer>", -12),
            ("<integer>+007</integer>", 7),
            ("<integer>0xFF</integer>", 255),
            ("<integer>-0x10</integer>", -16),
            ("<real>2.50</real>", 2.5),
            ("<real>+.5</real>", 0.5),
            ("<real>5.</real>", 5),
            ("<real>1E-3</real>", 0.001),
            ("<true/>", true),
            ("<false></false>", false),
            ("<date> 2026-11-21T05:27:03Z </date>", "2026-11-21T05:27:03Z"),
            ("<data>\n\tAAH/\n\t/w==\n</data>", "AAH//w=="),
            ("<data/>", ""),
            ("<array/>", []),
            ("<array> <true/> <array/> <!-- c --> <dict/> </array>", [true, [], [:]]),
            (
                "<dict><key>a</key><integer>1</integer><key/><dict><key>b</key><array/></dict></dict>",
                ["a": 1, "": ["b": []]]
            ),
            ("<dict><key>a</key><true/><key>a</key><false/></dict>", ["a": false]),
            ("<dict><key>CF$UID</key><integer>3</integer></dict>", ["CF$UID": 3]),
        ] as [(String, JSON)]
    )
    func `an element has the expected value`(_ text: String, _ value: JSON) throws {
        #expect(try PropertyListParser().parse(document(text)) == value)
    }

    @Test(
        arguments: [
            (
                "integer", "123456789012345678901234567890123456789012345678901",
                "123456789012345678901234567890123456789012345678901"
            ),
            ("integer", "-9223372036854775809", "-9223372036854775809"),
            ("integer", "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "340282366920938463463374607431768211455"),
            ("real", "1.10", "1.10"),
            ("real", "3.14159265358979323846", "3.14159265358979323846"),
        ]
    )
    func `numbers keep their digits`(_ element: String, _ text: String, _ digits: String) throws {
        let value = try PropertyListParser().parse(document("<\(element)>\(text)</\(element)>"))
        #expect(value.number?.text == digits)
    }

    @Test(
        arguments: [
            "<plist><true/></plist>", "\u{FEFF}<plist><true/></plist>\n<!-- end -->\n",
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone='yes'?>\n<!-- c --><plist version='>'><true/></plist >",
            """
            <?xml version="1.0" encoding="utf-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <true/>
            </plist>
            """,
        ]
    )
    func `content around the value has no effect`(_ text: String) throws {
        #expect(try PropertyListParser().parse(Array(text.utf8)) == true)
    }

    @Test(
        arguments: [
            ("", "the text contains no property list", 0),
            (" \n", "the text contains no property list", 2),
            ("hello", "unexpected text between elements", 0),
            ("{a = 1;}", "unexpected text between elements", 0),
            ("<html></html>", "expected <plist>, found <html>", 0),
            ("<plist/>", "the property list has no value", 0),
            ("<plist></plist>", "the property list has no value", 7),
            ("<plist><true/><true/></plist>", "expected </plist>, found <true>", 14),
            ("<plist><true/></plist>x", "unexpected content after </plist>", 22),
            ("<plist><true/>", "the element <plist> is never closed", 0),
            ("<plist><array><true/></plist>", "expected </array>, found </plist>", 21),
            ("<plist><string>a", "the element <string> is never closed", 7),
            ("<plist><string>a<b/></string></plist>", "expected </string>, found <b>", 16),
            ("<plist><strin", "the tag <strin> is never closed", 7),
            ("<plist><", "expected a tag", 7),
            ("<plist><wrong/></plist>", "the element <wrong> is not allowed here", 7),
            ("<plist><dict><string>a</string></dict></plist>", "expected <key>, found <string>", 13),
            ("<plist><dict><key>a</key></dict></plist>", "this <key> has no value", 13),
            ("<plist><dict>a</dict></plist>", "unexpected text between elements", 13),
            ("<plist><integer></integer></plist>", "'' is not an integer", 7),
            ("<plist><integer>1.0</integer></plist>", "'1.0' is not an integer", 7),
            ("<plist><integer>0x</integer></plist>", "'0x' is not an integer", 7),
            ("<plist><integer>0x+1</integer></plist>", "'0x+1' is not an integer", 7),
            ("<plist><real>0x1p3</real></plist>", "'0x1p3' is not a real number", 7),
            ("<plist><real>nan</real></plist>", "'nan' is not a number in JSON", 7),
            ("<plist><real>-infinity</real></plist>", "'-infinity' is not a number in JSON", 7),
            ("<plist><real></real></plist>", "'' is not a real number", 7),
            ("<plist><date>21.11.2026</date></plist>", "'21.11.2026' is not a date like 2026-11-21T05:27:03Z", 7),
            ("<plist><data>*</data></plist>", "the data is not base64", 7),
            ("<plist><true>x</true></plist>", "the element <true> is not empty", 7),
            ("<plist><string>a & b</string></plist>", "a literal & must be written as &amp;", 17),
            ("<plist><string>&nbsp;</string></plist>", "unknown entity &nbsp;", 15),
            ("<plist><string>&#0;</string></plist>", "&#0; is not a valid XML character", 15),
            ("<plist><string>&#xD800;</string></plist>", "&#xD800; is not a valid XML character", 15),
            ("<plist><string>&#x110000;</string></plist>", "&#x110000; is not a valid XML character", 15),
            (
                "<plist><string>a\u{1}</string></plist>",
                "the text contains a control character that XML does not allow", 16
            ),
            ("<plist><!-- x", "this comment is never closed", 7),
            ("<plist a></plist>", "an attribute has no value", 7),
            ("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist/>", "a document type with its own DTD is not supported", 16),
            ("<!DOCTYPE plist", "the document type is never closed", 0),
            (
                "<?xml version='1.0' encoding='ISO-8859-1'?><plist/>",
                "the text is in the encoding 'iso-8859-1'; only UTF-8 is supported", 0
            ),
        ]
    )
    func `an invalid property list is reported with the position of the error`(
        _ text: String,
        _ message: String,
        _ offset: Int
    ) throws {
        let error = try #require(throws: PropertyListError.self) { try PropertyListParser().parse(Array(text.utf8)) }
        #expect(error.message == message)
        #expect(error.position == .byte(offset))
    }

    @Test func `invalid UTF-8 is rejected at its first byte`() throws {
        let bytes = Array("<plist><string>é&amp;".utf8)
        let error = try #require(throws: PropertyListError.self) {
            try PropertyListParser().parse(bytes + [0xFF] + Array("</string></plist>".utf8))
        }
        #expect(error.message == "the text is not valid UTF-8")
        #expect(error.position == .byte(bytes.count))
        #expect(throws: PropertyListError("the text is in UTF-16; only UTF-8 is supported", at: 0)) {
            try PropertyListParser().parse([0xFF, 0xFE, 0x3C, 0])
        }
    }

    @Test func `depth is limited`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            document(String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth))
        }
        #expect(try PropertyListParser().parse(nested(512)).array?.count == 1)
        #expect(throws: PropertyListError.self) { try PropertyListParser().parse(nested(513)) }
        #expect(throws: PropertyListError.self) { try PropertyListParser().parse(nested(100_000)) }
        var deep = PropertyListParser()
        deep.maximumDepth = .max
        #expect(try deep.parse(nested(JSON.greatestDepth)).array?.count == 1)
        #expect(throws: PropertyListError.self) { try deep.parse(nested(JSON.greatestDepth + 1)) }
    }
}
