import Testing
import WaybillTestSupport

/// Text from outside in the output of the program: it controls neither a terminal nor the service that runs a job.
@Suite(.timeLimit(.minutes(5))) struct OutputContentTests {
    private let folder = TemporaryFolder()

    /// Runs a shell command in which `$W` is the program, in a folder with a manifest whose response has this body.
    private func shell(_ line: String, body: String, variables: [String: String] = [:]) async throws -> Command {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            endpoints: {e: {service: s, path: /a, mock: {status: 200, body: \(body)}}}
            graphs: {main: {chain: [{id: a, call: e, expect: {equals: 1}, outputs: {o: $}}]}}

            """,
            to: "m.yaml"
        )
        return try await Command.run(
            "/bin/sh",
            ["-c", line],
            in: folder.path,
            variables: variables.merging(["W": CommandCase.program]) { first, _ in first }
        )
    }

    @Test(
        arguments: [
            ("GITHUB_ACTIONS", "true"), ("GITLAB_CI", "true"), ("TF_BUILD", "True"), ("TEAMCITY_VERSION", "2026.1"),
        ],
        [
            "run m.yaml --mock", "run m.yaml --mock --format ndjson", "run ::stop-commands::x",
            "run 'a ##[add-mask]b.yaml'",
            "call m.yaml e --mock --format outputs", "eval --compact '\"##[add-mask]x##VSO[task.y]section_start:1:a\"'",
        ]
    )
    func `in a job, no text from outside is a command`(service: (String, String), words: String) async throws {
        let body =
            #""::stop-commands::x\n \t::add-mask::y\n\u00a0::a::\r::b::\n##[add-mask]z ##vso[task.x] ##teamcity[x] section_end:1:a""#
        let command = try await shell("$W \(words)", body: body, variables: [service.0: service.1])
        let text = command.outputText + command.errorText
        #expect(text.contains("add-mask") || text.contains("stop-commands"))
        // Annotations are the program's own commands; they end with the line.
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("::error ") }
        for line in lines {
            #expect(!line.drop { $0.isWhitespace }.hasPrefix("::"), "\(line)")
            for mark in ["##[", "##vso[", "##VSO[", "##teamcity[", "section_start:", "section_end:"] {
                #expect(!line.contains(mark), "\(line)")
            }
        }
    }

    @Test func `JSON on standard output has escapes for characters that control a terminal`() async throws {
        let body = #"{a: "x\u009b1m\u202e\u2028\x7f é"}"#
        for words in [
            "run m.yaml --mock --format ndjson", "call m.yaml e --mock", "call m.yaml e --mock --format outputs",
        ] {
            let text = try await shell("$W \(words)", body: body).outputText
            #expect(text.contains(#"x\u009b1m\u202e\u2028\u007f é"#), "\(text)")
        }
    }

    @Test func `a text body is printed as it is, but not to a terminal`() async throws {
        let body = #""a\tb\r\n\e[2J\u009b\u202e\x07c\n""#
        let piped = try await shell("$W call m.yaml e --mock 2> /dev/null", body: body)
        #expect(piped.outputText == "a\tb\r\n\u{1B}[2J\u{9B}\u{202E}\u{7}c\n")
        let script = "import os, pty, sys; sys.exit(pty.spawn(['sh', '-c', '$W call m.yaml e --mock 2> /dev/null']))"
        let shown = try await shell("python3 -c \"\(script.replacing("$", with: "\\$"))\"", body: body)
        #expect(
            shown.outputText.contains("a\tb\r\n\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}c"),
            "\(shown.outputText.debugDescription)"
        )
        #expect(!shown.outputText.contains("\u{9B}") && !shown.outputText.contains("\u{1B}[2J"))
    }
}
