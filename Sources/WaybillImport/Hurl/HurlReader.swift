import WaybillDiagnostics

/// Reads Hurl files. Each of several is a folder.
struct HurlReader: ImportReader {
    static let description = "Hurl files"
    static let fileExtensions = [".hurl"]

    static func recognizes(_ text: RecognizedText) -> Bool {
        if text.name.lowercased().hasSuffix(".hurl") { return true }
        let lines = text.text.split(whereSeparator: \.isNewline).map { String($0).trimmingSpaces }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        guard let first = lines.first else { return false }
        let words = first.split(separator: " ")
        let isRequest =
            words.count == 2 && words[0].utf8.allSatisfy { 0x41...0x5A ~= $0 }
            && (words[1].hasPrefix("http") || words[1].hasPrefix("{{"))
        let marks: Set<String> = [
            "[Asserts]", "[Captures]", "[Options]", "[Query]", "[Form]", "[Multipart]", "[BasicAuth]",
        ]
        return isRequest
            && lines.dropFirst().contains {
                marks.contains($0)
                    || $0.hasPrefix("HTTP") && $0.split(separator: " ").count == 2
                        && $0.wholeMatch(of: #/HTTP(/[0-9.*]+)? +([0-9]+|\*)/#) != nil
            }
    }

    static func read(_ sources: [SourceFile], _ options: ImportOptions) -> ImportResult {
        var collection = ImportedCollection()
        var diagnostics: [Diagnostic] = []
        let files = readFiles(sources)
        let requests = files.flatMap(\.requests)
        // Hurl follows redirects only if an option says so.
        let follows = !requests.contains { !$0.hasSetting("redirects") }
        if !follows { collection.settings.append(ManifestEntry("redirects", .literal("false"))) }
        for (source, file) in zip(sources, files) {
            if let error = file.error {
                let start = min(error.offset, source.bytes.count)
                let span = source.span(start..<min(start + 1, source.bytes.count))
                diagnostics.report("import-syntax", error.message, at: span)
            }
            let items = file.requests.map { request in
                var request = request
                if follows { request.settings.removeAll { $0 == ManifestEntry("redirects", .literal("10")) } }
                return ImportedItem.request(request)
            }
            collection.add(items, of: source, isOnly: sources.count == 1)
            collection.comments += file.comments
            collection.variables += file.secrets
            collection.variables += file.environment.map { ImportedVariable(name: $0, value: nil, isSecret: true) }
            for (version, spans) in file.versions.sorted(by: { $0.key < $1.key }) {
                let what =
                    "the version HTTP/\(version) of \(spans.count == 1 ? "a response" : "\(spans.count) responses")"
                collection.losses.add(what, "a manifest does not check the version", at: spans[0])
            }
        }
        if sources.count > 1 {
            collection.comments.append("The files share their cookies; Hurl keeps those of each file apart.")
        }
        for source in options.environments { addVariables(source, options, to: &collection, &diagnostics) }
        return (collection, diagnostics)
    }

    /// Reads the files, with other names for variables that one of them sets and another one uses.
    private static func readFiles(_ sources: [SourceFile]) -> [HurlEntries] {
        let files = sources.map { HurlEntries($0) }
        guard files.count > 1 else { return files }
        return zip(sources, files).enumerated().map { index, pair in
            let (source, file) = pair
            var names: [String: String] = [:]
            for variable in file.set {
                let isUsed = files.enumerated().contains { other, file in
                    other != index && (file.set.contains(variable) || file.templates.contains(variable))
                }
                if isUsed { names[variable] = "\(variable)_\(index + 1)" }
            }
            return names.isEmpty ? file : HurlEntries(source, names: names)
        }
    }

    /// Adds a file with lines `NAME=VALUE`: the values of variables, or an environment if there are several.
    private static func addVariables(
        _ source: SourceFile,
        _ options: ImportOptions,
        to collection: inout ImportedCollection,
        _ diagnostics: inout [Diagnostic]
    ) {
        var variables: [ImportedVariable] = []
        for line in 1...max(1, source.lineCount) {
            let range = source.byteRange(ofLine: line)
            let text = String(decoding: source.bytes[range], as: UTF8.self).trimmingSpaces
            guard !text.isEmpty, !text.hasPrefix("#") else { continue }
            guard let mark = text.firstIndex(of: "="), mark != text.startIndex else {
                diagnostics.report("import-syntax", "expected NAME=VALUE", at: source.span(range))
                continue
            }
            let value = String(text[text.index(after: mark)...]).trimmingSpaces
            variables.append(ImportedVariable(name: String(text[..<mark]).trimmingSpaces, value: ImportedText(value)))
        }
        if options.environments.count == 1 {
            collection.variables += variables
        } else {
            collection.environments.append(ImportedEnvironment(name: source.stem, variables: variables))
        }
    }
}

extension ImportedRequest {
    fileprivate func hasSetting(_ name: String) -> Bool { settings.contains { $0.name == name } }
}
