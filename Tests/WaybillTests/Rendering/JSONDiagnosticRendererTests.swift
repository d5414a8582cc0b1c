import Testing
import WaybillDiagnostics
import WaybillExplanations
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct JSONDiagnosticRendererTests {
    private func document(_ diagnostics: [Diagnostic]) throws -> JSON {
        try JSONParser().parse(Array(JSONDiagnosticRenderer.document(for: diagnostics).utf8))
    }

    @Test func `a diagnostic has its locations in code points and bytes`() throws {
        let file = SourceFile(name: "a.yaml", text: "ü: {b: c}\nd: e\n")
        let diagnostic = Diagnostic(
            "odd-name",
            "'b' is \"odd\"",
            severity: .warning,
            at: file.span(5..<6),
            label: "this one",
            secondary: [.init(file.span(8..<12), "and this"), .init(file.span(0..<2))],
            help: ["Change it.", "Or do not."]
        )
        let expected: JSON = [
            "errors": 0, "warnings": 1,
            "diagnostics": [
                [
                    "id": "odd-name", "severity": "warning", "message": "'b' is \"odd\"", "file": "a.yaml",
                    "start": ["line": 1, "column": 5, "offset": 5], "end": ["line": 1, "column": 6, "offset": 6],
                    "label": "this one",
                    "labels": [
                        [
                            "file": "a.yaml", "text": "and this",
                            "start": ["line": 1, "column": 8, "offset": 8],
                            "end": ["line": 2, "column": 2, "offset": 12],
                        ],
                        [
                            "file": "a.yaml",
                            "start": ["line": 1, "column": 1, "offset": 0],
                            "end": ["line": 1, "column": 2, "offset": 2],
                        ],
                    ],
                    "help": ["Change it.", "Or do not."],
                ]
            ],
        ]
        #expect(try document([diagnostic]) == expected)
    }

    @Test func `a diagnostic without a location has no members for it`() throws {
        let found = try document([Diagnostic("no-graph", "h", at: nil)])
        let expected: JSON = ["id": "no-graph", "severity": "error", "message": "h", "labels": [], "help": []]
        #expect(found["diagnostics"]?[0] == expected)
        #expect(found["errors"] == 1)
    }

    @Test func `a document without diagnostics is valid and ends in a line break`() throws {
        #expect(try document([]) == ["errors": 0, "warnings": 0, "diagnostics": []])
        #expect(JSONDiagnosticRenderer.document(for: []).hasSuffix("}\n"))
    }
}
