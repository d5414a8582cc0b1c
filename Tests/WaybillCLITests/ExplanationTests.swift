import Testing
import WaybillDiagnostics
import WaybillExplanations
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillResults
import WaybillTestSupport

extension Explanation: CustomTestStringConvertible {
    package var testDescription: String { id.name }
}

/// The program does with the examples of a page what the page says.
@Suite(.timeLimit(.minutes(5))) struct ExplanationTests {
    private static let shown = Explanation.all.filter { $0.example != nil }

    @Test(arguments: shown)
    func `the wrong example causes only the diagnostic that its page explains`(page: Explanation) async throws {
        let (ids, result) = try await Self.diagnostics(of: try #require(page.example).wrong)
        #expect(ids == [page.id.name], "\(result.outputText)\(result.errorText)")
    }

    @Test(arguments: shown)
    func `the right example causes no diagnostics`(page: Explanation) async throws {
        let (ids, result) = try await Self.diagnostics(of: try #require(page.example).right)
        #expect(ids.isEmpty && result.status == 0, "\(result.outputText)\(result.errorText)")
    }

    @Test(arguments: Explanation.all)
    func `a page has a title without a full stop and paragraphs of whole sentences`(page: Explanation) {
        #expect(!page.title.isEmpty && !page.title.hasSuffix("."))
        #expect(!page.paragraphs.isEmpty)
        for paragraph in page.paragraphs { #expect(paragraph.hasSuffix("."), "\(paragraph)") }
    }

    @Test func `no two pages have the same id`() {
        let names = Explanation.all.map(\.id.name)
        #expect(names == Set(names).sorted())
    }

    @Test func `all pages are listed, one per line`() async throws {
        let result = try await Command.run(CommandCase.program, ["explain"])
        let lines = result.outputText.split(separator: "\n")
        #expect(lines.map { String($0.prefix { $0 != " " }) } == Explanation.all.map(\.id.name))
        #expect(zip(lines, Explanation.all).allSatisfy { $0.hasSuffix("  \($1.title)") })
        #expect(result.status == 0)
    }

    @Test func `every key of the manifest schema has a description and a location`() {
        #expect(KeyExplanation.keys.count > 200)
        for key in KeyExplanation.keys {
            let meanings = KeyExplanation.of(key)
            #expect(!meanings.isEmpty, "\(key)")
            #expect(meanings.allSatisfy { !$0.key.text.isEmpty && !$0.locations.isEmpty }, "\(key)")
        }
    }

    /// The ids of the diagnostics that a sample's command reports for its files.
    private static func diagnostics(of sample: Explanation.Sample) async throws -> (ids: [String], result: Command) {
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

/// Every kind of diagnostic has a page, and every page explains an existing kind.
@Suite(.timeLimit(.minutes(5))) struct ExplanationCoverageTests {
    private static let sources = TemporaryFolder.files(in: CommandCase.projectRoot + "/Sources", ending: ".swift")
        .filter { !$0.contains("Explanations/") }
        .map { (path: $0, text: String(decoding: TemporaryFolder.contents(of: $0) ?? [], as: UTF8.self)) }

    /// Files in which ids are composed at run time; the resulting ids are collected below.
    private static let computed = [
        "ManifestRule.swift", "Manifest+environment.swift", "PlanBuilder.swift",  // unknown-KIND
        "ManifestSchema.swift",  // x-waybill-error
        "Failure.swift",  // kinds of failure
        "ExplanationPrinter.swift",  // what the user asks for
    ]

    @Test func `every kind of diagnostic has a page`() throws {
        let missing = try Self.ids.get().subtracting(Explanation.all.map(\.id.name))
        #expect(missing.isEmpty, "add a page to Sources/CExplanations/pages for: \(missing.sorted())")
    }

    @Test func `every file of a page has the id as its name, and is embedded`() {
        let files = TemporaryFolder.files(in: CommandCase.projectRoot + "/Sources/CExplanations/pages", ending: "")
        let names = files.compactMap { $0.split(separator: "/").last.map(String.init) }
        let expected = Explanation.all.map { "\($0.id.name).md" }
        #expect(Set(names) == Set(expected), "Sources/CExplanations/explanations.c lists the files")
    }

    @Test func `every page explains an existing kind of diagnostic`() throws {
        let superfluous = Set(Explanation.all.map(\.id.name)).subtracting(try Self.ids.get())
        #expect(superfluous.isEmpty, "nothing in the code says: \(superfluous.sorted())")
    }

    @Test func `ids are composed only in the files that this test lists`() {
        let found = Self.sources.filter { $0.text.contains(#/DiagnosticID\(stringLiteral: (?!"[a-z0-9-]+"\))/#) }
        let names = found.compactMap { $0.path.split(separator: "/").last.map(String.init) }
        #expect(Set(names) == Set(Self.computed))
    }

    /// The types and functions whose first argument is the id of a diagnostic.
    private static func takersOfIDs() -> Set<String> {
        var names: Set<String> = []
        for (_, text) in sources {
            for match in text.matches(of: #/(?:func (\w+)|init)\(\s*_ id: DiagnosticID\b/#) {
                // An initializer belongs to the type before it.
                let types = text[..<match.range.lowerBound].matches(of: #/\b(?:struct|class|extension) (\w+)/#)
                names.formUnion((match.1.map { [$0] } ?? types.map(\.1)).map(String.init))
            }
        }
        return names
    }

    @Test func `ids are found in calls of every type that takes one`() throws {
        #expect(Self.takersOfIDs().isSuperset(of: ["Diagnostic", "report"]))
        #expect(try Self.ids.get().isSuperset(of: ["invalid-glob", "unreadable-file"]))
    }

    /// Scanning all sources takes a while, so it is done once.
    private static let ids = Result { try collectIDs() }

    private static func collectIDs() throws -> Set<String> {
        var ids = Set(FailureKind.allCases.map(\.rawValue))
        let makers = takersOfIDs()
        for (_, text) in sources {
            for match in text.matches(of: #/(\w+)\(\s*"([a-z0-9-]+)"/#) where makers.contains(String(match.1)) {
                ids.insert(String(match.2))
            }
            for match in text.matches(of: #/= \(\s*"([a-z0-9-]+)", /#) where text.contains("(id: DiagnosticID") {
                ids.insert(String(match.1))
            }
            for match in text.matches(of: #/DiagnosticID(?:\(stringLiteral:|\ =)\ "([a-z0-9-]+)"/#) {
                ids.insert(String(match.1))
            }
            for match in text.matches(of: #/(?:\bunknown\(\s*|[ (]kind: )"([a-z ]+)"/#) {
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
