import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlatform
import WaybillTestSupport

/// A folder of files, and the files that a pattern matches in it.
private struct GlobFixture {
    let folder = TemporaryFolder()

    init(_ paths: [String] = GlobTests.files) throws {
        for path in paths {
            var made = folder.path
            for part in path.utf8.split(separator: UInt8(ascii: "/")).dropLast() {
                made += "/\(Substring(part))"
                mkdir(made, 0o755)
            }
            folder.write(path, to: path)
        }
    }

    func read(_ pattern: String, allowsOutside: Bool = false) -> (value: JSON?, diagnostics: [Diagnostic]) {
        let source = SourceFile(name: folder.path + "/manifest.yaml", text: pattern)
        let reader = DataReader(folder: folder.path, allowsOutside: allowsOutside)
        return reader.read(.glob(pattern: Spanned(pattern, at: source.span(0..<source.bytes.count))))
    }

    func paths(_ pattern: String) throws -> [String] {
        let (value, diagnostics) = read(pattern)
        let files = try #require(value?.array, "\(HumanRenderer().render(diagnostics))")
        #expect(diagnostics.map(\.id) == (files.isEmpty ? ["empty-glob"] : []))
        #expect(!diagnostics.hasErrors)
        return files.compactMap { $0["path"]?.string }
    }

    func link(_ name: String, to target: String) throws {
        try #require(symlink(target, "\(folder.path)/\(name)") == 0)
    }
}

@Suite(.timeLimit(.minutes(5))) struct GlobTests {
    static let files = [
        "a.jpg", "b.jpg", "b.png", "B.jpg", "ü.jpg", ".hidden.jpg", "x[1].txt", "x1.txt", "{y}.txt", "z*.txt",
        "images/a.jpg", "images/b.gif", "images/.git/c.jpg", "images/deep/c.jpg", "images/deep/deeper/d.jpg",
        "other/deep/e.jpg", "other/f.json",
    ]

    static let patterns: [(pattern: String, paths: [String])] = [
        ("a.jpg", ["a.jpg"]),
        ("./a.jpg", ["a.jpg"]),
        ("*.jpg", ["B.jpg", "a.jpg", "b.jpg", "ü.jpg"]),
        ("?.jpg", ["B.jpg", "a.jpg", "b.jpg", "ü.jpg"]),
        ("??.jpg", []),
        (".*.jpg", [".hidden.jpg"]),
        (".hidden.jpg", [".hidden.jpg"]),
        ("[ab].jpg", ["a.jpg", "b.jpg"]),
        ("[!ab].jpg", ["B.jpg", "ü.jpg"]),
        ("[^ab].jpg", ["B.jpg", "ü.jpg"]),
        ("[A-Za].jpg", ["B.jpg", "a.jpg"]),
        ("[]a-].jpg", ["a.jpg"]),
        ("x[[]1].txt", ["x[1].txt"]),
        ("x\\[1\\].txt", ["x[1].txt"]),
        ("x[1].txt", ["x1.txt"]),
        ("z\\*.txt", ["z*.txt"]),
        ("\\{y\\}.txt", ["{y}.txt"]),
        ("b.{jpg,png}", ["b.jpg", "b.png"]),
        ("{b.{jpg,png},a.jpg,b.jpg}", ["a.jpg", "b.jpg", "b.png"]),
        ("{images,other/deep}/*.jpg", ["images/a.jpg", "other/deep/e.jpg"]),
        ("*/*.jpg", ["images/a.jpg"]),
        ("*/deep/?.jpg", ["images/deep/c.jpg", "other/deep/e.jpg"]),
        ("images/**/*.jpg", ["images/a.jpg", "images/deep/c.jpg", "images/deep/deeper/d.jpg"]),
        ("images/**", ["images/a.jpg", "images/b.gif", "images/deep/c.jpg", "images/deep/deeper/d.jpg"]),
        ("**/deep/**/*.jpg", ["images/deep/c.jpg", "images/deep/deeper/d.jpg", "other/deep/e.jpg"]),
        ("**/**/deep/*", ["images/deep/c.jpg", "other/deep/e.jpg"]),
        ("**/c.jpg", ["images/deep/c.jpg"]),
        ("images/.git/*", ["images/.git/c.jpg"]),
        ("images", []),
        ("nothing/*.jpg", []),
        ("a.jpg/*", []),
        ("**/*.json", ["other/f.json"]),
    ]

    @Test(arguments: patterns)
    func `a pattern matches the expected files, sorted by bytes`(_ pattern: String, _ paths: [String]) throws {
        #expect(try GlobFixture().paths(pattern) == paths)
    }

    @Test func `a name may start with a character that combines with the preceding slash`() throws {
        let found = try GlobFixture(["in/\u{301}.csv"]).read("in/*.csv").value
        #expect(found == [["path": "in/\u{301}.csv", "name": "\u{301}.csv", "size": 9]])
    }

    @Test func `a matched file has a path, a name and a size`() throws {
        let found = try GlobFixture().read("images/deep/*").value
        #expect(found == [["path": "images/deep/c.jpg", "name": "c.jpg", "size": 17]])
    }

    @Test(
        arguments: [
            ("", "the pattern is empty"),
            ("a{b,", "a { of the pattern 'a{b,' is never closed"),
            ("[a", "the [ of '[a' is never closed"),
            ("[z-a]", "the range z-a in '[z-a]' goes backwards"),
            ("[[:alpha:]]", "named classes such as [:alpha:] are not supported, as in '[[:alpha:]]'"),
            ("a\\", "a name in the pattern ends in a single \\"),
            ("images/", "the pattern 'images/' ends with /, so it cannot match a file"),
            (".", "the pattern '.' is a folder, so it cannot match a file"),
            ("images/..", "the pattern 'images/..' is a folder, so it cannot match a file"),
            ("*/../*.jpg", "'..' follows a wildcard in the pattern '*/../*.jpg'"),
            (String(repeating: "{a,b}", count: 10), "the braces of the pattern expand to more than 1000 patterns"),
            (String(repeating: "{", count: 17), "the braces of the pattern are nested more than 16 levels deep"),
            (String(repeating: "a", count: 5000), "the pattern has more than 4096 characters"),
        ]
    )
    func `an invalid pattern is rejected`(_ pattern: String, _ headline: String) throws {
        let (value, diagnostics) = try GlobFixture().read(pattern)
        #expect(value == nil)
        #expect(diagnostics.map(\.id) == ["invalid-glob"])
        #expect(diagnostics.map(\.headline) == [headline])
        #expect(diagnostics[0].primary?.span.range == 0..<pattern.utf8.count)
    }

    @Test func `links that form a cycle are followed only once`() throws {
        let fixture = try GlobFixture(["a.txt", "in/b.txt"])
        try fixture.link("circle", to: ".")
        try fixture.link("in/up", to: "..")
        try fixture.link("self", to: "self")
        #expect(try fixture.paths("**/*.txt") == ["a.txt", "in/b.txt"])
        #expect(try fixture.paths("*/*.txt") == ["circle/a.txt", "in/b.txt"])
        #expect(try fixture.paths("circle/circle/*.txt") == ["circle/circle/a.txt"])
        #expect(try fixture.paths("*") == ["a.txt"])
    }

    @Test func `files outside the manifest's folder are rejected`() throws {
        let outside = try GlobFixture(["secret.txt"])
        let fixture = try GlobFixture(["a.txt", "in/b.txt"])
        try fixture.link("in/file.txt", to: outside.folder.path + "/secret.txt")
        try fixture.link("folder", to: outside.folder.path)
        for pattern in ["in/*.txt", "in/file.txt", "folder/*", "*/*", "../*", "/etc/*", "/etc/hostname", "../**"] {
            let (value, diagnostics) = fixture.read(pattern)
            #expect(value == nil, "\(pattern)")
            #expect(diagnostics.map(\.id) == ["outside-folder"], "\(pattern)")
        }
        #expect(try fixture.paths("**/*.nothing") == [])
        #expect(try fixture.paths(fixture.folder.path + "/*.txt") == [fixture.folder.path + "/a.txt"])
        let allowed = fixture.read("folder/*", allowsOutside: true)
        #expect(allowed.value == [["path": "folder/secret.txt", "name": "secret.txt", "size": 10]])
    }

    @Test func `deeply nested folders exceed the limit`() throws {
        let deep = try GlobFixture([String(repeating: "d/", count: 70) + "a.txt"])
        #expect(deep.read("**/*.txt").diagnostics.map(\.id) == ["glob-limit"])
        #expect(deep.read("d/d/d/d/d/d/**/*.txt").diagnostics.map(\.id) == ["glob-limit"])
    }

    @Test func `a file name that is not UTF-8 is reported`() throws {
        let fixture = try GlobFixture(["a.txt"])
        let path = Array(fixture.folder.path.utf8) + [UInt8(ascii: "/"), 0xFF] + Array(".txt\0".utf8)
        let descriptor = path.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o644) }
        }
        try #require(descriptor >= 0)
        close(descriptor)
        #expect(try fixture.paths("a*") == ["a.txt"])
        #expect(fixture.read("*").diagnostics.map(\.id) == ["unreadable-file"])
    }
}
