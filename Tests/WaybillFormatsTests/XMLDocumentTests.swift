import Testing
import WaybillFormats
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct XMLDocumentTests {
    @Test(arguments: [
        ("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "it refers to the entity 'x'"),
        ("<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a b=\"&x;\"/>", "it refers to the entity 'x'"),
        ("<!DOCTYPE a [<!ENTITY % x SYSTEM \"file:///etc/passwd\">%x;]><a/>", "it refers to the parameter entity 'x'"),
        (String(repeating: "<a>", count: 10_000), "it is nested more than 2,000 levels deep"),
        ("<r>" + String(repeating: "<a/>", count: 2_000_000) + "</r>", "it has more than 2,000,000 nodes"),
        (
            "<!DOCTYPE l [<!ATTLIST e x CDATA \"\(String(repeating: "y", count: 1_000_000))\">]><l>"
                + String(repeating: "<e/>", count: 300) + "</l>",
            "the attributes of its document type take more than 256 MiB"
        ),
        ("<a>\n<b>\n</a>", "Opening and ending tag mismatch: b line 2 and a"),
        ("<a/><b/>", "Extra content at the end of the document"), ("<a>\u{1}</a>", "PCDATA invalid Char value 1"),
    ])
    func `a hostile or broken document is refused`(text: String, reason: String) {
        let error = #expect(throws: XMLDocument.SyntaxError.self) { try XMLDocument(parsing: text) }
        #expect(error?.message.hasPrefix(reason) == true, "\(error?.message ?? "")")
    }

    @Test func `a document type that is not read does no harm`() throws {
        let document = try XMLDocument(
            parsing: "<!DOCTYPE rss SYSTEM \"http://127.0.0.1:9/rss.dtd\"><rss>a&amp;b</rss>"
        )
        guard case .string("a&b") = try document.evaluate(XPathExpression("string()"), namespaces: [:]) else {
            Issue.record("the text was lost")
            return
        }
    }

    @Test func `broken markup of HTML becomes well-formed XML without namespaces`() throws {
        let xml = try XMLDocument.wellFormed(
            html: """
                <!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><!-- a -- b --><ul><li class=item>Café & <b>bar</b>\
                <li @click=x xml:lang=en>Tea&nbsp;&eacute;</ul><script>if (a<b) {"]]>"}</script>
                """
        )
        let document = try XMLDocument(parsing: xml)
        for (expression, expected) in [
            ("count(//li)", "2"), ("string(//li[@class='item'])", "Café & bar"), ("string(//li[2])", "Tea\u{A0}é"),
            ("string(//script)", "if (a<b) {\"]]>\"}"),
        ] {
            let value = try document.evaluate(XPathExpression("string(\(expression))"), namespaces: [:])
            guard case .string(expected) = value else {
                Issue.record("\(expression) is \(value)")
                continue
            }
        }
        #expect(throws: XMLDocument.SyntaxError.self) {
            try XMLDocument.wellFormed(html: String(repeating: "<div>", count: 10_000))
        }
    }

    @Test func `parsing and collecting nodes stop when the time of the step has passed`() async throws {
        let text = "<r>" + String(repeating: "<a>b</a>", count: 20_000) + "</r>"
        let document = try XMLDocument(parsing: text)
        let everything = XPathExpression("//a")
        guard case .nodes(let nodes) = try document.evaluate(everything, namespaces: [:]) else { return }
        #expect(nodes.count == 20_000)
        let hasStopped = await WorkLimit.limited({ true }) {
            (try? XMLDocument(parsing: text)) == nil && (try? document.evaluate(everything, namespaces: [:])) == nil
        }
        #expect(hasStopped)
    }

    @Test func `an evaluation that libxml2 cannot stop is abandoned when the time of the step has passed`() async throws
    {
        let document = try XMLDocument(
            parsing: "<r>" + String(repeating: "<a i='1'><b>1</b></a>", count: 30_000) + "</r>"
        )
        let quadratic = XPathExpression("count(//a/following::*)")
        let start = ContinuousClock.now
        let message = await WorkLimit.limited({ start.duration(to: .now) > .milliseconds(100) }) {
            do throws(XPathExpression.Failure) {
                _ = try document.evaluate(quadratic, namespaces: [:])
                return ""
            } catch {
                return error.message
            }
        }
        #expect(message == WorkLimit.message)
        #expect(start.duration(to: .now) < .seconds(10))
        #expect(throws: XPathExpression.Failure.self) { try document.evaluate(XPathExpression("1"), namespaces: [:]) }
    }

    @Test func `nodes that contain each other are limited in their size`() throws {
        let deep =
            String(repeating: "<a>", count: 1_500) + String(repeating: "x", count: 400_000)
            + String(repeating: "</a>", count: 1_500)
        let error = try #require(throws: XPathExpression.Failure.self) {
            try XMLDocument(parsing: deep).evaluate(XPathExpression("//a"), namespaces: [:])
        }
        #expect(error.message == "the nodes that it finds take more than 256 MiB")
    }

    @Test(
        arguments: [
            ("//a[", "it ends too early", 4), ("//a[foo()]", "XPath 1.0 has no function 'foo'", 4),
            ("count(1)", "an argument has the wrong type", nil),
            ("count()", "a function has the wrong number of arguments", nil),
            ("$x", "variables are not supported", 0), ("matches(., 'a')", "XPath 1.0 has no function 'matches'", 0),
            ("'a", "a string does not end", 2), ("a\u{0}", "it contains a NUL character", nil),
            (
                String(repeating: "(", count: 4_000) + "1" + String(repeating: ")", count: 4_000),
                "it is nested too deeply", nil
            ),
        ] as [(String, String, Int?)]
    )
    func `an invalid expression is found without a document`(text: String, reason: String, offset: Int?) {
        let error = #expect(throws: XPathExpression.Failure.self) { try XPathExpression(text).check() }
        #expect(error?.message.lowercased().hasPrefix(reason.lowercased()) == true, "\(error?.message ?? "")")
        if let offset { #expect(error?.offset == offset) }
    }

    @Test(
        arguments: [
            ("count(//a:b/c:*)", .number, ["a", "c"]),
            ("//x[@xml:lang='a:b' and (child::d:e or 3 mod (2) = 1)]", .nodes, ["d"]),
            ("not(a)", .boolean, []), ("concat('x:', \"y:z\")", .string, []), ("ancestor::n[.5 > -1]", .nodes, []),
        ] as [(String, XPathExpression.Kind, [String])]
    )
    func `the kind of the value and the prefixes are known`(
        text: String,
        kind: XPathExpression.Kind,
        prefixes: [String]
    ) throws {
        let found = try XPathExpression(text).check()
        #expect(found.kind == kind)
        #expect(found.prefixes.map(\.name) == prefixes)
    }
}
