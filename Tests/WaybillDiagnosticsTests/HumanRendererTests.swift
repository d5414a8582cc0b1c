import Testing
import WaybillDiagnostics

@Suite struct HumanRendererTests {
    let file = SourceFile(name: "manifests/accounts.yaml", text: "a: 1\n- call: shedule\nlast: ü x\n")

    @Test func `a finding shows headline, place, line and carets`() {
        let diagnostic = Diagnostic(
            "unknown-endpoint",
            "no endpoint is named 'shedule'",
            at: file.span(13..<20),
            label: "did you mean 'schedule'?"
        )
        let expected = """
            error[unknown-endpoint]: no endpoint is named 'shedule'
             --> manifests/accounts.yaml:2:9
              |
            2 | - call: shedule
              |         ^^^^^^^ did you mean 'schedule'?

            """
        #expect(HumanRenderer().render(diagnostic) == expected)
    }

    @Test func `columns count code points, and an empty span gets one caret`() {
        let offset = file.bytes.count - 2
        #expect(file.span(offset..<offset).start == SourcePosition(line: 3, column: 9))
        let text = HumanRenderer().render(Diagnostic("x", "w", severity: .warning, at: file.span(offset..<offset)))
        #expect(text.hasSuffix("3 | last: ü x\n  |         ^\n"))
    }

    @Test func `a line of megabytes is cut around the carets`() {
        let long = SourceFile(name: "long", bytes: Array(repeating: UInt8(ascii: "["), count: 3_000_000))
        let text = HumanRenderer().render(Diagnostic("x", "deep", at: long.span(1_500_000..<1_500_001)))
        #expect(text.utf8.count < 1_000)
        #expect(text.contains(":1:1500001\n"))
    }

    @Test func `control characters never reach the terminal`() {
        let evil = SourceFile(name: "e\u{1B}[2J", text: "a\u{1B}[31m: \u{7}b")
        let text = HumanRenderer().render(Diagnostic("x", "h\u{1B}", at: evil.span(0..<1), label: "l\u{8}"))
        #expect(!text.contains("\u{1B}") && !text.contains("\u{7}") && !text.contains("\u{8}"))
    }
}

@Suite struct NearestNameTests {
    @Test(
        arguments: [
            ("shedule", "schedule"), ("Schedule", "schedule"), ("scehdule", "schedule"), ("usr", "user"),
            ("completely", nil), ("x", nil), ("", nil),
        ] as [(String, String?)]
    )
    func `the name that was meant is found, and nothing far-fetched`(name: String, expected: String?) {
        #expect(NearestName.of(name, among: ["login", "schedule", "user"]) == expected)
    }
}
