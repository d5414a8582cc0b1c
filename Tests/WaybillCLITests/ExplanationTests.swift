import Testing
import Waybill
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillTestSupport

extension Explanation: CustomTestStringConvertible {
    package var testDescription: String { id.name }
}

/// Pages are true: the program does with their examples what they say.
@Suite(.timeLimit(.minutes(5))) struct ExplanationTests {
    private static let shown = Explanation.all.filter { $0.example != nil }

    @Test(arguments: shown)
    func `the wrong example has exactly the finding of its page`(page: Explanation) async throws {
        let (ids, result) = try await Self.findings(of: try #require(page.example).wrong)
        #expect(ids == [page.id.name], "\(result.outputText)\(result.errorText)")
    }

    @Test(arguments: shown)
    func `the right example has no finding`(page: Explanation) async throws {
        let (ids, result) = try await Self.findings(of: try #require(page.example).right)
        #expect(ids.isEmpty && result.status == 0, "\(result.outputText)\(result.errorText)")
    }

    @Test(arguments: Explanation.all)
    func `a page is a title without a full stop and paragraphs of sentences`(page: Explanation) {
        #expect(!page.title.hasSuffix(".") && !page.title.contains("\n"))
        #expect(!page.paragraphs.isEmpty)
        for paragraph in page.paragraphs { #expect(paragraph.hasSuffix("."), "\(paragraph)") }
    }

    @Test func `no two pages are about the same`() {
        let names = Explanation.all.map(\.id.name)
        #expect(names == Set(names).sorted())
    }

    @Test func `all pages are listed, one a line`() async throws {
        let result = try await Command.run(CommandCase.program, ["explain"])
        let lines = result.outputText.split(separator: "\n")
        #expect(lines.map { String($0.prefix { $0 != " " }) } == Explanation.all.map(\.id.name))
        #expect(zip(lines, Explanation.all).allSatisfy { $0.hasSuffix("  \($1.title)") })
        #expect(result.status == 0)
    }

    @Test func `every key of the manifest's schema has a description and a place`() {
        #expect(KeyExplanation.keys.count > 200)
        for key in KeyExplanation.keys {
            let meanings = KeyExplanation.of(key)
            #expect(!meanings.isEmpty && meanings.allSatisfy { !$0.text.isEmpty && !$0.places.isEmpty }, "\(key)")
        }
    }

    /// The ids of what is found when a sample's command is run on its files, as a person would do it.
    private static func findings(of sample: Explanation.Sample) async throws -> (ids: [String], result: Command) {
        let folder = TemporaryFolder()
        for file in sample.files {
            if let slash = file.name.lastIndex(of: "/") {
                _ = try await Command.run("/bin/mkdir", ["-p", String(file.name[..<slash])], in: folder.path)
            }
            folder.write(file.text + "\n", to: file.name)
        }
        let programFolder = CommandCase.program.prefix(upTo: CommandCase.program.lastIndex(of: "/")!)
        let result = try await Command.run(
            "/bin/sh",
            ["-c", sample.command],
            in: folder.path,
            variables: ["PATH": "\(programFolder):/usr/bin:/bin"]
        )
        let lines = (result.outputText + result.errorText).split(separator: "\n")
        return (
            lines.compactMap { $0.firstMatch(of: #/^ *(?:error|warning)\[([a-z0-9-]+)\]/#).map { String($0.1) } },
            result
        )
    }
}

/// Every kind of finding has a page, and every page is about one that there is.
@Suite(.timeLimit(.minutes(5))) struct ExplanationCoverageTests {
    private static let sources = TemporaryFolder.files(in: CommandCase.projectRoot + "/Sources", ending: ".swift")
        .filter { !$0.contains("/Explanations/") }
        .map { (path: $0, text: String(decoding: TemporaryFolder.contents(of: $0) ?? [], as: UTF8.self)) }

    /// Where ids are put together rather than written down; what comes of each is collected below.
    private static let computed = [
        "ManifestRule.swift", "Manifest+environment.swift", "PlanBuilder.swift",  // unknown-SORT
        "ManifestSchema.swift",  // x-waybill-error
        "Failure.swift",  // kinds of failure
        "ExplainCommand.swift",  // what a person asks for
    ]

    @Test func `every kind of finding has a page`() throws {
        let missing = try Self.ids.get().subtracting(Explanation.all.map(\.id.name))
        #expect(missing.isEmpty, "add a page to Sources/Waybill/Explanations for: \(missing.sorted())")
    }

    @Test func `every page is about a finding that there is`() throws {
        let superfluous = Set(Explanation.all.map(\.id.name)).subtracting(try Self.ids.get())
        #expect(superfluous.isEmpty, "nothing in the code says: \(superfluous.sorted())")
    }

    @Test func `ids are put together only where this test looks`() {
        let found = Self.sources.filter { $0.text.contains(#/DiagnosticID\(stringLiteral: (?!"[a-z0-9-]+"\))/#) }
        let names = found.compactMap { $0.path.split(separator: "/").last.map(String.init) }
        #expect(Set(names) == Set(Self.computed))
    }

    /// The types and functions whose first argument is the id of a finding.
    private static func takersOfIDs() -> Set<String> {
        var names: Set<String> = []
        for (_, text) in sources {
            for match in text.matches(of: #/(?:func (\w+)|init)\(\s*_ id: DiagnosticID\b/#) {
                // An initializer is that of one of the types before it.
                let types = text[..<match.range.lowerBound].matches(of: #/\b(?:struct|class|extension) (\w+)/#)
                names.formUnion((match.1.map { [$0] } ?? types.map(\.1)).map(String.init))
            }
        }
        return names
    }

    @Test func `ids are found whatever type is made with them`() throws {
        #expect(Self.takersOfIDs().isSuperset(of: ["Diagnostic", "GlobFailure"]))
        #expect(try Self.ids.get().isSuperset(of: ["invalid-glob", "unreadable-file"]))
    }

    /// Looking through all sources takes a while, and is done once.
    private static let ids = Result { try collectIDs() }

    private static func collectIDs() throws -> Set<String> {
        var ids = Set(FailureKind.allCases.map(\.rawValue))
        let makers = takersOfIDs()
        for (_, text) in sources {
            for match in text.matches(of: #/\b(\w+)\(\s*"([a-z0-9-]+)"/#) where makers.contains(String(match.1)) {
                ids.insert(String(match.2))
            }
            for match in text.matches(of: #/= \(\s*"([a-z0-9-]+)", /#) where text.contains("(id: DiagnosticID") {
                ids.insert(String(match.1))
            }
            for match in text.matches(of: #/DiagnosticID(?:\(stringLiteral:|\ =)\ "([a-z0-9-]+)"/#) {
                ids.insert(String(match.1))
            }
            for match in text.matches(of: #/(?:\bunknown\(\s*|[ (]sort: )"([a-z ]+)"/#) {
                ids.insert("unknown-\(match.1.replacing(" ", with: "-"))")
            }
        }
        func collect(_ schema: JSON) {
            if let id = schema["x-waybill-error"]?["id"]?.string { ids.insert(id) }
            for value in schema.object?.values ?? schema.array ?? [] { collect(value) }
        }
        collect(try JSONParser().parse(EmbeddedSchema.manifest.text))
        return ids
    }
}
