import Testing
import WaybillDiagnostics
import WaybillImport
import WaybillTestSupport

/// Collections of Bruno from public repositories.
@Suite(
    .enabled(if: SampleFolder.named("bruno") != nil, "the samples of other tools are absent"),
    .timeLimit(.minutes(5))
)
struct BrunoSampleTests {
    private static let folder = SampleFolder.named("bruno") ?? ""

    /// The files by collection. Their names are the paths, with `__` between their parts.
    private static let collections = Dictionary(grouping: ConformanceSuite.files(in: folder, ending: ".bru")) { name in
        let parts = name.split(separator: "__")
        return parts.count > 4 ? String(parts[4]) : ""
    }

    private static func sources(_ collection: String) throws -> [SourceFile] {
        try (collections[collection] ?? []).map { name in
            let path = name.split(separator: "__").dropFirst(4).joined(separator: "/")
            return SourceFile(name: path, bytes: try ConformanceSuite.bytes(of: "\(folder)/\(name)"))
        }
    }

    @Test(arguments: collections.keys.sorted())
    func `a collection becomes a valid manifest that has or reports each of its parts`(_ name: String) throws {
        let sources = try Self.sources(name)
        let (collection, diagnostics) = ImportKind.bruno.read(sources)
        #expect(diagnostics.isEmpty, "\(HumanRenderer().render(diagnostics))")
        let manifest = ImportedManifest(collection)
        let found = ImportFixture.diagnostics(of: manifest.text)
        #expect(!found.hasErrors, "\(HumanRenderer().render(found))")
        for source in sources {
            let missing = BrunoWords(source).missing(from: manifest)
            #expect(missing.isEmpty, "\(source.name): \(missing)\n\(manifest.text)")
        }
        for secret in manifest.secrets.compactMap(\.value) where secret.utf8.count > 8 {
            #expect(!manifest.text.contains(secret), "\(secret)")
        }
    }

    @Test func `each file is read by itself, and most requests have no loss but for their scripts`() throws {
        var (files, requests, lossy, others) = (0, 0, 0, 0)
        var (scripts, partial) = (0, 0)
        for name in Self.collections.keys.sorted() {
            for source in try Self.sources(name) {
                let (collection, diagnostics) = ImportKind.bruno.read([source])
                #expect(diagnostics.isEmpty, "\(HumanRenderer().render(diagnostics))")
                files += 1
                let losses = collection.losses + collection.items.flatMap(Self.losses)
                let lines = Set(losses.filter { $0.what.hasPrefix("the script") }.compactMap { $0.span?.start.line })
                for range in BrunoWords(source).scripts {
                    scripts += 1
                    if lines.contains(where: range.contains) { partial += 1 }
                }
                guard !collection.items.isEmpty else { continue }
                requests += 1
                if !losses.isEmpty { lossy += 1 }
                if losses.contains(where: { !$0.what.hasPrefix("the script") }) { others += 1 }
            }
        }
        print(
            "bruno: \(files) files, \(requests) requests, \(lossy) with a loss, \(others) with one that is not of a script;",
            "\(scripts) scripts, \(partial) of them not completely translated"
        )
        #expect(files >= 140 && requests >= 120 && others <= 16)
    }

    private static func losses(_ item: ImportedItem) -> [ImportLoss] {
        switch item {
        case .request(let request): request.losses
        case .folder(let folder): folder.losses + folder.items.flatMap(losses)
        }
    }
}

/// The words of a file outside of scripts, found without the reader that is tested.
private struct BrunoWords {
    private(set) var words: Set<String> = []
    /// The lines of the scripts.
    private(set) var scripts: [ClosedRange<Int>] = []

    /// Names and modes of the language, and operators.
    private static let structure: Set<String> = [
        "name", "type", "seq", "tags", "http", "graphql", "url", "body", "auth", "mode", "none", "inherit", "json",
        "text",
        "xml", "formurlencoded", "multipartform", "file", "basic", "bearer", "oauth2", "token", "username", "password",
        "encodeurl", "true", "timeout", "followredirects", "maxredirects", "contenttype", "description", "eq", "neq",
        "gt",
        "lt", "in", "isdefined", "isnumber", "isstring", "isjson", "contains", "res", "grant", "secret", "credentials",
        "id",
        "placement", "prefix", "auto", "fetch", "refresh", "header", "callback", "authorization", "access", "state",
        "pkce",
        "method", "process", "env", "tostring", "application", "octet", "stream", "undefined", "false", "client",
        "queryparams",
    ]

    init(_ source: SourceFile) {
        var block: (name: String, line: Int)?
        let lines = String(decoding: source.bytes, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        for (number, line) in lines.enumerated() {
            if let open = block {
                guard line.hasPrefix("}") || line.hasPrefix("]") else {
                    let isScript = open.name.hasPrefix("script") || open.name.hasPrefix("tests")
                    if !isScript { words.formUnion(Self.words(in: String(line))) }
                    continue
                }
                if open.name.hasPrefix("script") || open.name.hasPrefix("tests") {
                    scripts.append(open.line...(number + 1))
                }
                block = nil
            } else if let name = line.split(separator: " ").first {
                block = (String(name), number + 1)
            }
        }
    }

    private static func words(in text: String) -> [String] {
        // The values of secrets are in no comment.
        let isSecret = text.firstMatch(of: #/^\s*[\w~-]*(password|secret|token)\s*:/#) != nil
        return (isSecret ? text.prefix { $0 != ":" } : text[...]).split { !$0.isLetter && !$0.isNumber }.map {
            $0.lowercased()
        }
        .filter { $0.count > 1 && !structure.contains($0) }
    }

    /// The words that neither the manifest nor the report contains.
    func missing(from manifest: ImportedManifest) -> [String] {
        var all = manifest.text + manifest.losses.map(\.what).joined()
        for secret in manifest.secrets { all += " " + (secret.value ?? "") }
        let text = String(all.lowercased().filter { $0.isLetter || $0.isNumber })
        // Escapes of assertions are other characters in the manifest.
        return words.filter { word in !text.contains(word) && !text.contains(word.dropFirst()) }.sorted()
    }
}
