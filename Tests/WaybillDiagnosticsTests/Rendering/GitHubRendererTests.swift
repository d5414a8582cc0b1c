import Testing
import WaybillDiagnostics

@Suite(.timeLimit(.minutes(5))) struct GitHubRendererTests {
    @Test func `a diagnostic is a workflow command with its location, labels and help`() {
        let file = SourceFile(name: "a.yaml", text: "ü: {b: c}\n")
        let diagnostic = Diagnostic(
            "odd-name",
            "'b' is odd",
            at: file.span("b"),
            label: "did you mean 'c'?",
            secondary: [.init(file.span("c"), "this one"), .init(file.span("ü"))],
            help: ["Change it."]
        )
        #expect(
            GitHubRenderer().document(for: [diagnostic])
                == "::error file=a.yaml,line=1,endLine=1,col=5,endColumn=6,title=odd-name::"
                + "'b' is odd (did you mean 'c'?)%0Aa.yaml:1:8: this one%0Aa.yaml:1:1%0AChange it.\n"
        )
    }

    @Test func `a span of several lines has no columns, and a diagnostic without a location has only a title`() {
        let file = SourceFile(name: "a.yaml", text: "a\nb\n")
        let diagnostics = [
            Diagnostic("two", "h", severity: .warning, at: file.span("a\nb")), Diagnostic("none", "h", at: nil),
        ]
        #expect(
            GitHubRenderer().document(for: diagnostics)
                == "::warning file=a.yaml,line=1,endLine=2,title=two::h\n::error title=none::h\n"
        )
        #expect(GitHubRenderer().document(for: []) == "")
    }

    @Test(arguments: [
        ("tests/a.yaml", "svc/tests/a.yaml"), ("./a.yaml", "svc/a.yaml"), ("../inc/a.yaml", "inc/a.yaml"),
        ("../../a.yaml", "../../a.yaml"), ("/repo/a.yaml", "/repo/a.yaml"), ("<stdin>", "<stdin>"),
    ]) func `files are named relative to the workspace`(path: String, expected: String) {
        #expect(GitHubPaths(workspace: "/repo/", currentFolder: "/repo/svc").path(of: path) == expected)
    }

    @Test func `outside the workspace, paths are relative to the current folder`() {
        #expect(GitHubPaths(workspace: "/repo", currentFolder: "/repository").path(of: "./a.yaml") == "a.yaml")
        #expect(GitHubPaths().path(of: "a.yaml") == "a.yaml")
    }

    @Test func `no string can end its command or start another one`() {
        let file = SourceFile(name: "50%,a:b\r\n::c", text: "x")
        let diagnostic = Diagnostic("x", "100%: a,\r\n::b\u{1B}", at: file.span("x"))
        #expect(
            GitHubRenderer().document(for: [diagnostic])
                == "::error file=50%25%2Ca%3Ab%0D%0A%3A%3Ac,line=1,endLine=1,col=1,endColumn=2,title=x::"
                + "100%25: a,\u{FFFD} ::b\u{FFFD}\n"
        )
    }
}
