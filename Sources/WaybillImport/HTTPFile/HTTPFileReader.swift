import WaybillDiagnostics
import WaybillJSON

/// Reads `.http` and `.rest` files of the REST Client of VS Code and the HTTP Client of JetBrains, with their environments.
struct HTTPFileReader: ImportReader {
    private var collection = ImportedCollection()
    private var diagnostics: [Diagnostic] = []
    private var variables = HTTPFileVariables()
    /// All requests so far.
    private var requests: [ImportedRequest] = []

    static let description = ".http files"
    static let fileExtensions = [".http", ".rest"]
    private static let methods: Set<Substring> = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

    static func recognizes(_ text: RecognizedText) -> Bool {
        if fileExtensions.contains(where: { text.name.lowercased().hasSuffix($0) }) { return true }
        return text.json == nil
            && text.text.split(whereSeparator: \.isNewline).contains { line in
                let words = line.split(separator: " ", maxSplits: 1)
                let url = words.last?.drop { $0 == " " } ?? ""
                return words.count == 2 && methods.contains(words[0])
                    && ["http://", "https://", "{{"].contains { url.hasPrefix($0) && url.count > $0.count }
            }
    }

    /// Reads files. Each but the only one is a folder.
    static func read(_ sources: [SourceFile], _ options: ImportOptions) -> ImportResult {
        var reader = HTTPFileReader()
        for source in options.environments { reader.readEnvironments(source) }
        var parts: [(source: SourceFile, range: Range<Int>, comments: [String])] = []
        for source in sources {
            let start = reader.requests.count
            let comments = reader.read(source)
            parts.append((source, start..<reader.requests.count, comments))
        }
        reader.collection.variables = reader.variables.variables
        for (position, captures) in reader.variables.captures { reader.requests[position].captures += captures }
        for (source, range, comments) in parts {
            let items = reader.requests[range].map { ImportedItem.request($0) }
            reader.collection.add(items, of: source, isOnly: sources.count == 1, comments: comments)
        }
        return (reader.collection, reader.diagnostics)
    }

    /// Reads the requests of a file; returns the comments that belong to none of them.
    private mutating func read(_ file: SourceFile) -> [String] {
        let count = diagnostics.count
        let blocks = HTTPFileBlock.blocks(of: file, &diagnostics)
        guard diagnostics.count == count else { return [] }
        guard blocks.contains(where: { $0.target != nil || !$0.losses.isEmpty }) else {
            diagnostics.report("unknown-source", "\(file.name) has no request", at: file.start)
            return []
        }
        variables.start(blocks)
        var comments: [String] = []
        for (index, block) in blocks.enumerated() {
            variables.block = index
            guard block.target != nil else {
                comments += (block.title.isEmpty ? [] : [block.title]) + block.comments
                comments += block.tags.map { "@\($0.name) \($0.value)" }
                collection.losses += block.losses.map { ImportLoss($0.what, $0.reason, at: file.span($0.line.range)) }
                for script in block.scripts {
                    let start = file.span(script.offset..<script.offset)
                    collection.losses.add("the script", "it belongs to no request", at: start)
                }
                continue
            }
            var request = HTTPFileRequest.request(of: block, in: file, &variables)
            // What is at the start of the file is about all of it.
            if index > 0 {
                request.comments = comments + request.comments
                comments = []
            }
            if let name = request.name { variables.add(request: name, at: requests.count) }
            requests.append(request)
        }
        return comments
    }

    // MARK: Environments

    /// Reads `http-client.env.json`, `http-client.private.env.json`, or the settings of VS Code.
    private mutating func readEnvironments(_ source: SourceFile) {
        guard let json = source.json(&diagnostics) else { return }
        guard let environments = (json["rest-client.environmentVariables"] ?? json).object else {
            return diagnostics.report("import-syntax", "expected an object with environments", at: source.start)
        }
        let isPrivate = source.name.contains("private.env")
        for (name, json) in environments {
            var values: [ImportedVariable] = []
            for (name, value) in json.object ?? JSONObject() {
                guard value.object == nil, value.array == nil else {
                    let reason = "only strings and numbers are imported"
                    collection.losses.add("'\(name)' of an environment", reason, at: nil)
                    continue
                }
                let text = variables.text(Optional(value).text)
                values.append(ImportedVariable(name: name, value: text, isSecret: isPrivate))
            }
            _ = variables.takeLosses()
            if name == "$shared" {
                variables.add(values)
            } else if let index = collection.environments.firstIndex(where: { $0.name == name }) {
                let known = collection.environments[index].variables
                collection.environments[index].variables += values.filter { new in
                    !known.contains { $0.name == new.name }
                }
            } else {
                collection.environments.append(ImportedEnvironment(name: name, variables: values))
            }
        }
    }
}
