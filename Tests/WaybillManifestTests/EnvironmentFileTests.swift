import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct EnvironmentFileTests {
    private func parse(_ text: String) -> (variables: [String: String]?, diagnostics: String) {
        let (variables, diagnostics) = EnvironmentFile.parse(Array(text.utf8), name: "a.env")
        #expect((variables == nil) == diagnostics.hasErrors)
        return (variables, HumanRenderer().render(diagnostics))
    }

    @Test(
        arguments: [
            ("", [:]),
            ("\n  \n# A=1\n\t# B=2", [:]),
            ("A=1", ["A": "1"]),
            ("A=1\r\nB=2\r\n", ["A": "1", "B": "2"]),
            ("\u{FEFF}A=1\n", ["A": "1"]),
            ("export A=1\n export\tB=2\nexport=3\nexport_C=4", ["A": "1", "B": "2", "export": "3", "export_C": "4"]),
            ("  A_1 =  two words \t\n_=x", ["A_1": "two words", "_": "x"]),
            ("A=\nB= \nC=''\nD=\"\"", ["A": "", "B": "", "C": "", "D": ""]),
            ("A=1 # one\nB=1#2\nC=#3\nD= # four", ["A": "1", "B": "1#2", "C": "#3", "D": ""]),
            ("A=it's \"so\"\nB=a\\nb\nC=x=y", ["A": "it's \"so\"", "B": "a\\nb", "C": "x=y"]),
            ("A='a \"b\" \\n $C # d' # e", ["A": "a \"b\" \\n $C # d"]),
            (#"A="a 'b' \n\r\t\"\\\$C # d""#, ["A": "a 'b' \n\r\t\"\\$C # d"]),
            ("A=\"one\r\ntwo\n\"\nB='\none'", ["A": "one\ntwo\n", "B": "\none"]),
            ("A=$5 $ $", ["A": "$5 $ $"]),
            ("A=ü 𝄞", ["A": "ü 𝄞"]),
        ] as [(String, [String: String])]
    )
    func `the variables of a file are parsed`(_ text: String, _ variables: [String: String]) {
        let parsed = parse(text)
        #expect(parsed.variables == variables)
        #expect(parsed.diagnostics == "")
    }

    @Test func `a dollar sign that looks like a variable is kept, with a warning`() {
        let parsed = parse("A=$HOME\nB=\"${B}\" # $C\nC='$D'\nD=\"\\$E\"\n")
        #expect(parsed.variables == ["A": "$HOME", "B": "${B}", "C": "$D", "D": "$E"])
        #expect(
            parsed.diagnostics == """
                warning[env-file-reference]: variables are not substituted: this '$' is kept as it is
                 --> a.env:1:3
                  |
                1 | A=*****
                  |   ^
                  |
                  = help: Put the value in single quotes if this is intended.

                warning[env-file-reference]: variables are not substituted: this '$' is kept as it is
                 --> a.env:2:4
                  |
                2 | B=****** * **
                  |    ^
                  |
                  = help: Put the value in single quotes if this is intended.

                """
        )
    }

    @Test func `the last value of a repeated name is used`() {
        let parsed = parse("A=1\nA=2\n")
        #expect(parsed.variables == ["A": "2"])
        let diagnostic = "warning[duplicate-key]: 'A' is set again; the last value is used\n --> a.env:2:1\n"
        #expect(parsed.diagnostics.hasPrefix(diagnostic))
    }

    static let faults: [(text: String, headline: String, line: Int, column: Int)] = [
        ("A=1\nsecret\n", "this line is not NAME=VALUE", 2, 1),
        ("1A=secret", "this line is not NAME=VALUE", 1, 1),
        ("  A-B=secret", "this line is not NAME=VALUE", 1, 3),
        ("export A", "this line is not NAME=VALUE", 1, 1),
        ("=secret", "this line is not NAME=VALUE", 1, 1),
        ("A: secret", "this line is not NAME=VALUE", 1, 1),
        ("Ä=secret", "this line is not NAME=VALUE", 1, 1),
        ("A='secret\nB=1\n", "the closing quote of this value is missing", 1, 3),
        ("A=\"secret\\\"\nB=1\n", "the closing quote of this value is missing", 1, 3),
        ("A='secret'x", "unexpected characters after the closing quote of the value", 1, 11),
        ("A=\"secret\"#x", "unexpected characters after the closing quote of the value", 1, 11),
        ("A=\"ü secret\\d\"\n", "unknown escape in double quotes", 1, 12),
        ("A=\"secret\\", "unknown escape in double quotes", 1, 10),
        ("A=secret\0", "the value contains a null character, which an environment variable cannot contain", 1, 9),
        ("A='ü\nsecret\0'", "the value contains a null character, which an environment variable cannot contain", 2, 7),
    ]

    @Test(arguments: faults)
    func `an error is reported with its location and without the value`(
        _ text: String,
        _ headline: String,
        _ line: Int,
        _ column: Int
    ) {
        let parsed = parse(text)
        #expect(parsed.diagnostics.hasPrefix("error[env-file-syntax]: \(headline)\n --> a.env:\(line):\(column)\n"))
        #expect(!parsed.diagnostics.contains("secret"))
        #expect(!parsed.diagnostics.contains("ü"))
    }

    @Test func `the lines after an error are still read`() {
        let parsed = parse("A\nB=\"\\d\nx\"\nC='1'2\nD=1\nE\n")
        let places = parsed.diagnostics.split(separator: "\n").filter { $0.hasPrefix(" --> ") }
        #expect(places == [" --> a.env:1:1", " --> a.env:2:4", " --> a.env:4:6", " --> a.env:6:1"])
    }

    @Test func `bytes that are not UTF-8 are rejected`() {
        let (variables, diagnostics) = EnvironmentFile.parse(Array("A=é".utf8) + [0xFF], name: "a.env")
        #expect(variables == nil)
        #expect(diagnostics.map(\.id) == ["invalid-utf8"])
        #expect(diagnostics[0].primary?.span.start == SourcePosition(line: 1, column: 4))
    }

    @Test(arguments: 0..<300)
    func `diagnostics never show values, whatever the file contains`(_ seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        let alphabet = Array("A= '\"\\\n\r\t#$n{\0ü€𝄞".unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<random.next(below: 60) { text.append(alphabet[random.next(below: alphabet.count)]) }
        let (_, diagnostics) = EnvironmentFile.parse(Array(String(text).utf8), name: "a.env")
        let shown = Set(diagnostics.flatMap { HumanRenderer().render($0).unicodeScalars })
        #expect(shown.isDisjoint(with: ["ü", "€", "𝄞", "{"]))
        for diagnostic in diagnostics {
            let span = diagnostic.primary?.span
            #expect(span.map { $0.range.upperBound <= $0.file.bytes.count } ?? false)
        }
    }

    @Test(arguments: [
        "TOKEN=canary\nB: c: d\n", "# x\nexport TOKEN=canary: 1\n", "x\nTOKEN=canary\nB=canary\n", "A=canary",
    ])
    func `a file of variables that is read as something else shows no value`(_ text: String) throws {
        let folder = TemporaryFolder()
        folder.write(text, to: ".env")
        let manifest = """
            waybill: 1
            services: {a: {baseURL: "http://127.0.0.1:9"}}
            graphs: {main: {chain: [{id: z, get: /x}]}}

            """
        let uses = [
            "include: [.env]", "data: {d: {file: .env, format: json}}", "defaults: {expect: {schema: .env}}",
        ]
        for use in uses {
            let path = folder.write("\(manifest)\(use)\n", to: "m.yaml")
            let diagnostics = ManifestLoader().load(path).diagnostics
            #expect(use.contains("data") || diagnostics.hasErrors)
            #expect(!HumanRenderer().render(diagnostics).contains("canary"), "\(diagnostics)")
        }
        let loaded = ManifestLoader().load("\(folder.path)/.env")
        #expect(loaded.diagnostics.map(\.id.name) == ["yaml-syntax"])
        #expect(!HumanRenderer().render(loaded.diagnostics).contains("canary"))
        let data = DataFile.value(of: "\(folder.path)/.env")
        // A mapping may have such a name.
        let isMapping = text.hasSuffix("canary: 1\n")
        #expect(isMapping || data.value == nil && data.diagnostics.map(\.id.name) == ["yaml-syntax"])
        #expect(!HumanRenderer().render(data.diagnostics).contains("canary"))
    }
}
