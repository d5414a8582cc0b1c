import Testing
import WaybillDiagnostics

@Suite(.timeLimit(.minutes(5))) struct HumanRendererTests {
    let file = SourceFile(name: "manifests/accounts.yaml", text: "a: 1\n- call: shedule\nlast: ü x\n")

    @Test func `a diagnostic shows its headline, location, line, carets and help`() {
        let diagnostic = Diagnostic(
            "unknown-endpoint",
            "no endpoint is named 'shedule'",
            at: file.span("shedule"),
            label: "did you mean 'schedule'?",
            help: ["Look again.", "And again."]
        )
        let expected = """
            error[unknown-endpoint]: no endpoint is named 'shedule'
             --> manifests/accounts.yaml:2:9
              |
            2 | - call: shedule
              |         ^^^^^^^ did you mean 'schedule'?
              |
              = help: Look again.
              = help: And again.

            """
        #expect(HumanRenderer().render(diagnostic) == expected)
    }

    @Test(arguments: [
        ("TOKEN=abc def", "TOKEN=*******"), ("export A_1=x", "export A_1=*"), ("a: b=c", "a: b=c"),
        ("query: {token: abc, q: abc}", "query: {token: ***, q: abc}"), ("  token: abc", "  token: ***"),
        ("outputs: {token: $.token, secret: true}", "outputs: {token: $.token, secret: true}"),
        ("{X-Other: &k abc, X-Api-Key: *k, Y: &l abc}", "{X-Other: &k ***, X-Api-Key: *k, Y: &l abc}"),
        ("{token: steps.a.outputs.t, x: 1}", "{token: steps.a.outputs.t, x: 1}"),
        ("a: &k abc\nauth:\n  apiKey:\n    value: *k", "a: &k ***"), ("a: &k abc\nb: *k", "a: &k abc"),
    ])
    func `a variable, a token and an anchored credential are not shown`(_ text: String, _ shown: String) {
        let file = SourceFile(name: "m.yaml", text: text)
        let rendered = HumanRenderer().render(Diagnostic("x", "w", at: file.span(0..<1)))
        #expect(rendered.contains("1 | \(shown)\n"), "\(rendered)")
    }

    @Test func `a password in a URL is not shown`() {
        let file = SourceFile(name: "m.yaml", text: "url: https://me:pa:ss@host/a@b:c\n")
        let text = HumanRenderer().render(Diagnostic("x", "w", at: file.span("host")))
        #expect(text.contains("1 | url: https://me:*****@host/a@b:c\n"))
        #expect(text.contains("  |                       ^^^^\n"))
    }

    @Test(arguments: [
        "auth:\n  bearer: |\n    SECRET\n      SECRET ${SHOWN.x} SECRET\n\n    SECRET: SECRET\nSHOWN: SHOWN\n",
        "- bearer: >-\n   SECRET\n  SHOWN: 1\n- SHOWN\n", "text: |\n  SHOWN\n  SHOWN: SHOWN\n",
        "Authorization: Bearer\n  SECRET\n    SECRET\n  SECRET\n", "bearer: \"SECRET\n  SECRET\"\nSHOWN: SHOWN\n",
        "bearer:\n  SECRET\nSHOWN:\n  SHOWN\n", "- {auth: {bearer:\n    SECRET}}\n",
        "Cookie:\n- SECRET\n- SECRET\n", "Cookie:\n  - SECRET\n  - SECRET\nSHOWN:\n  - SHOWN\n",
        "{X-Api-Key: [SECRET, SECRET], SHOWN: SHOWN}", "{bearer: &k SECRET, SHOWN: *SHOWN}", "bearer: !!str SECRET",
        "password:\n  type: SHOWN\n  SHOWN: SHOWN\n", "headers: {\n  X-Api-Key: SECRET, SHOWN: SHOWN\n}\n",
        "bearer: \"${concat('SECRET', SHOWN.x)}SECRET\"", "bearer: ${concat(SHOWN, 'SECRET')}",
        "{Authorization: \"${concat('SECRET', SHOWN)}\", SHOWN: 1}", "Authorization: SHOWN SECRET",
        #"{bearer: "${concat(SHOWN, \"SECRET\")}", SHOWN: 1}"#, "{bearer: ${concat(SHOWN, 'SECRET')}, SHOWN: 1}",
        "bearer: '${concat(''SECRET'', SHOWN)}'", "bearer: ${steps['SHOWN'].SHOWN}", "text: ${concat('SHOWN')}",
        "{password: 'it''s SECRET', SHOWN: 1}", #"{password: "a\"SECRET", SHOWN: 1}"#, "password: a, SECRET}SECRET",
        #"{"X-Api\u002dKey": SECRET, "a\"\u0062": SHOWN}"#, "bearer: $secrets.SHOWN", "bearer: $SECRET",
        #"{"password":"SECRET","SHOWN":"SHOWN"}"#,
        "apiKey: {in: SHOWN, value: SECRET}", "apiKey:\n  in: SHOWN\n  value: SECRET\n", "value: SHOWN",
        "- &SHOWN SECRET\n- {bearer: *SHOWN}\n", "SHOWN: [&a SECRET, SHOWN]\nX-Api-Key: [*a]\n",
        "- &SHOWN |\n  SECRET\n  SECRET\n- bearer: *SHOWN\n  b: SHOWN\n",
        "X-Api-Key:\n  - *a\nSHOWN:\n  - &a SECRET\n",
        "SHOWN: &SHOWN\n  value: *SHOWN\n", "- &SHOWN SHOWN\n- a&SHOWN\n- {b: *SHOWN}\n",
        "{bearer: " + String(repeating: "SECRET", count: 200) + ", SHOWN: 1}",
    ])
    func `credentials in a manifest are not shown, however they are written`(text: String) {
        let file = SourceFile(name: "m.yaml", text: text)
        var shown = ""
        for line in 1...file.lineCount {
            let range = file.byteRange(ofLine: line)
            let end = range.isEmpty ? range : (range.upperBound - 1)..<range.upperBound
            shown += HumanRenderer().render(Diagnostic("x", "w", at: file.span(end)))
        }
        #expect(!shown.contains("SECRET"))
        #expect(shown.ranges(of: "SHOWN").count == text.ranges(of: "SHOWN").count, "\(shown)")
    }

    @Test func `a diagnostic without a location consists of its headline and help`() {
        let diagnostic = Diagnostic("no-graph", "there is no graph", severity: .warning, at: nil, help: ["Add one."])
        #expect(HumanRenderer().render(diagnostic) == "warning[no-graph]: there is no graph\nhelp: Add one.\n")
    }

    @Test func `columns count code points, and an empty span gets one caret`() {
        let offset = file.bytes.count - 2
        #expect(file.span(offset..<offset).start == SourcePosition(line: 3, column: 9))
        let text = HumanRenderer().render(Diagnostic("x", "w", severity: .warning, at: file.span(offset..<offset)))
        #expect(text.hasSuffix("3 | last: ü x\n  |         ^\n"))
    }

    @Test func `a byte order mark does not count as a column`() {
        let file = SourceFile(name: "bom", text: "\u{FEFF}name: x\n")
        #expect(file.span("name").start == SourcePosition(line: 1, column: 1))
        #expect(HumanRenderer().render(Diagnostic("x", "h", at: file.span("x"))).hasSuffix("  |       ^\n"))
    }

    @Test func `control characters and direction marks never reach the terminal`() {
        let steering = ["\u{1B}", "\u{7}", "\u{8}", "\u{202E}", "\u{2066}", "\u{2028}", "\u{85}"]
        for mark in steering {
            let evil = SourceFile(name: "e\(mark)[2J", text: "a\(mark)[31m: b")
            let text = HumanRenderer().render(
                Diagnostic("x", "h\(mark)", at: evil.span(0..<1), label: "l\(mark)", help: ["w\(mark)"])
            )
            #expect(!text.unicodeScalars.contains { String($0) == mark })
            #expect(text.contains("a\u{FFFD}[31m: b"))
        }
    }

    @Test func `colours depend on the severity and on the role of a label`() {
        let file = SourceFile(name: "f", text: "one two\n")
        let diagnostic = Diagnostic(
            "x",
            "h",
            severity: .warning,
            at: file.span("two"),
            secondary: [.init(file.span("one"), "here")]
        )
        let text = HumanRenderer(colour: true).render(diagnostic)
        #expect(text.hasPrefix("\u{1B}[1;33mwarning[x]\u{1B}[0m\u{1B}[1m: h\u{1B}[0m\n"))
        #expect(text.contains(" \u{1B}[1;34m---\u{1B}[0m \u{1B}[1;33m^^^\u{1B}[0m\n"))
        #expect(text.contains(" \u{1B}[1;34mhere\u{1B}[0m\n"))
    }
}

@Suite(.timeLimit(.minutes(5))) struct HumanSummaryTests {
    private func diagnostics(_ errors: Int, _ warnings: Int) -> [Diagnostic] {
        (0..<warnings).map { _ in Diagnostic("told", "w", severity: .warning, at: nil) }
            + (0..<errors).map { _ in Diagnostic("untold", "e", at: nil) }
    }

    @Test(
        arguments: [
            (1, 0, "1 error\n"), (2, 0, "2 errors\n"), (1, 1, "1 error and 1 warning\n"),
            (0, 2, "2 warnings\n"), (12, 3, "12 errors and 3 warnings\n"),
        ]
    )
    func `errors and warnings are counted`(errors: Int, warnings: Int, expected: String) {
        #expect(HumanRenderer().summary(of: diagnostics(errors, warnings)) == expected)
    }

    @Test func `the summary names an explained diagnostic, preferably an error`() {
        let all = HumanRenderer { _ in true }
        #expect(all.summary(of: diagnostics(1, 0)) == "1 error. More about it: waybill explain untold\n")
        #expect(all.summary(of: diagnostics(1, 1)) == "1 error and 1 warning. More about one: waybill explain untold\n")
        let some = HumanRenderer { $0 == "told" }
        #expect(some.summary(of: diagnostics(1, 1)) == "1 error and 1 warning. More about one: waybill explain told\n")
        #expect(some.summary(of: diagnostics(1, 0)) == "1 error\n")
    }

    @Test func `a document contains the diagnostics and the summary, and is empty without diagnostics`() {
        #expect(HumanRenderer().document(for: []) == "")
        #expect(
            HumanRenderer().document(for: diagnostics(2, 0)) == "error[untold]: e\n\nerror[untold]: e\n\n2 errors\n"
        )
    }
}
