import Testing
import WaybillPlatform
import WaybillTestSupport

@testable import WaybillCLI

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
            "call m.yaml e --mock --format outputs", "call m.yaml e --mock",
            "eval --compact '\"##[add-mask]x##VSO[task.y]section_start:1:a\"'",
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

    @Test func `text has no escape sequences but the program's own styles, and only with colours`() {
        let text = "\u{1B}[1;31ma\u{1B}[0m\u{1B}[2J\u{1B}]0;b\u{7}\u{9B}31m\r\n\tü\u{202E}\n"
        func shown(isColoured: Bool) -> String {
            let bytes = OutputContent.text.bytes(for: Array(text.utf8), isTerminal: true, isColoured: isColoured)
            return String(decoding: bytes, as: UTF8.self)
        }
        let rest = "\u{FFFD}[2J\u{FFFD}]0;b\u{FFFD}\u{FFFD}31m\n\tü\u{FFFD}\n"
        #expect(shown(isColoured: true) == "\u{1B}[1;31ma\u{1B}[0m" + rest)
        #expect(shown(isColoured: false) == "\u{FFFD}[1;31ma\u{FFFD}[0m" + rest)
    }

    @Test(arguments: [false, true])
    func `names and values in a manifest do not control a terminal`(isColoured: Bool) async throws {
        let text = #"\e[31m\u009b\u202e\n::error::x"#
        let file = "e\u{1B}[31m\u{202E}\n::error::x.yaml"
        for name in ["n.yaml", "suite/\(file)", "suite/o.yaml"] {
            folder.write(
                """
                waybill: 1
                name: "n\(text)"
                inputs: {i: {type: string, default: "v\(text)"}}
                services: {s: {baseURL: "http://127.0.0.1:9/\(text)", headers: {X-A: "\\u202e"}}}
                endpoints: {e: {description: "d\(text)", path: "/a\(text)", mock: {}}}
                graphs:
                  main:
                    state: {v: {default: "v\(text)", next: state.v}}
                    chain:
                      - {id: b, name: "b\(text)", values: {x: "'x'"}}
                      - {id: c, call: e, when: "inputs.i == 'x'"}
                """,
                to: name
            )
        }
        let pseudoterminal = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
        for words in [
            ["plan", "n.yaml"], ["plan", "suite/\(file)"], ["plan", "n.yaml", "--explain", "e"],
            ["plan", "n.yaml", "--format", "dot"], ["validate", "suite/\(file)"],
            ["run", "suite", "--mock", "--out", "o\u{1B}[31m\n::error::x"], ["show", "o\u{1B}[31m\n::error::x"],
        ] {
            let command =
                isColoured
                ? try await Command.run(
                    "/usr/bin/env",
                    ["python3", "-c", pseudoterminal, CommandCase.program] + words,
                    in: folder.path,
                    variables: ["TERM": "dumb-color"]
                ) : try await Command.run(CommandCase.program, words, in: folder.path)
            let all = (command.outputText + command.errorText).replacing("\r\n", with: "\n")
            #expect(all.contains("31m"), "\(words): \(all)")
            #expect(!all.contains("\u{1B}[31m") && !all.contains("\u{9B}") && !all.contains("\u{202E}"), "\(words)")
            #expect(!all.contains("\n::error::"), "\(words): \(all)")
        }
    }

    @Test func `the log of the mock server does not control a terminal`() async throws {
        let script = """
            $W mock m.yaml > log & p=$!
            while ! port=$(sed -n 's/^serving .*:\\([0-9]*\\);.*/\\1/p' log) || [ -z "$port" ]; do sleep 0.1; done
            python3 -c 'import socket, sys
            s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            s.sendall(b"GET /\\x1b[31m\\x07 HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
            while s.recv(1000): pass' $port
            kill -INT $p; wait $p; cat log
            """
        let shown = try await shell(script, body: "1")
        let text = shown.outputText
        #expect(text.contains("GET /"), "\(text.debugDescription)\(shown.errorText)")
        #expect(!text.contains("\u{1B}") && !text.contains("\u{7}"), "\(text.debugDescription)")
    }
}
