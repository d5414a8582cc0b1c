import WaybillDiagnostics
import WaybillJSON

/// Reads a collection of Bruno: a folder of files in the Bru language, or some of its files.
struct BrunoReader: ImportReader {
    /// A file and the names of its path in the collection.
    struct File {
        var path: ArraySlice<String>
        var bru: BruFile
    }

    /// What a request inherits from the collection and its folders.
    struct Scope {
        var headers: [ImportedField] = []
        /// The variables that are replaced by their values: those of folders and requests, and those that refer to others.
        var variables: [String: BruFile.Pair] = [:]
        /// The method of the credentials, and the file with them.
        var auth: (mode: String, file: BruFile)?
        /// What each level does before and after a request, the outermost first.
        var scripts: [ScriptTranslation] = []
    }

    /// The variables that a response or a script sets: they replace all others.
    let assigned: Set<String>
    /// The variables of environments, which replace those of the collection.
    private(set) var replaced: Set<String> = []
    /// Variables of environments that stand for one of the process: `token: {{process.env.TOKEN}}`.
    private(set) var aliases: [String: String] = [:]
    var collection = ImportedCollection()
    private var diagnostics: [Diagnostic] = []
    var scope = Scope()
    /// The variables of the scope that something uses.
    var used: Set<String> = []
    /// What was found in the file that is being read.
    var losses: [ImportLoss] = []
    var comments: [String] = []

    /// The maximum number of folders in each other.
    private static let maximumDepth = 50
    static let processPrefix = "process.env."

    static let description = "Bruno collections"
    static let fileExtensions = [".bru", "bruno.json", openCollection]
    private static let openCollection = "opencollection.yml"

    static func recognizes(_ text: RecognizedText) -> Bool {
        if let json = text.json { return isConfiguration(text.name) && json["type"]?.string == "collection" }
        return text.name.hasSuffix(".bru") || isOpenCollection(text.name, text.text) || BruFile.recognizes(text.text)
    }

    /// Whether a file is one of a collection in the format OpenCollection.
    private static func isOpenCollection(_ name: String, _ text: String) -> Bool {
        name.hasSuffix(openCollection) || text.hasPrefix("opencollection:")
            || [".yml", ".yaml"].contains(where: name.hasSuffix) && text.hasPrefix("info:\n")
                && ["\nhttp:\n", "\nruntime:\n", "\ngraphql:\n"].contains(where: text.contains)
    }

    /// Reads a collection twice: the first time finds the variables that are set while it runs.
    static func read(_ sources: [SourceFile], _ options: ImportOptions) -> ImportResult {
        var diagnostics: [Diagnostic] = []
        if let source = sources.first(where: { isOpenCollection($0.name, String(decoding: $0.bytes, as: UTF8.self)) }) {
            let headline = "collections in the format OpenCollection (YAML) are not read"
            let help = "Save the collection as .bru files, or export it from Bruno as a Postman collection."
            diagnostics.report("import-syntax", headline, at: source.start, help: [help])
            return (ImportedCollection(), diagnostics)
        }
        guard let root = root(of: sources, &diagnostics) else { return (ImportedCollection(), diagnostics) }
        let files = sources.filter { !isConfiguration($0.name) }.map { source in
            File(path: names(in: source.name).dropFirst(root.count), bru: BruFile(source, &diagnostics))
        }
        let chosen = options.environments.map { source in
            File(path: names(in: source.name).suffix(1), bru: BruFile(source, &diagnostics))
        }
        let configuration = sources.first { isConfiguration($0.name) }
        let json = configuration.flatMap { $0.json(&diagnostics) }
        var reader = BrunoReader(assigned: [])
        for _ in 0..<2 {
            let requests = reader.collection.items.flatMap(\.requests)
            let assigned = requests.flatMap { $0.assignments.map(\.variable) + $0.captures.map(\.variable) }
            reader = BrunoReader(assigned: Set(assigned))
            if let configuration, let json { reader.readConfiguration(json, configuration) }
            reader.collection.name = reader.collection.name ?? root.last
            reader.readCollection(files, chosen)
        }
        return (reader.collection, diagnostics + reader.diagnostics)
    }

    private init(assigned: Set<String>) { self.assigned = assigned }

    private static func names(in path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }
    }

    private static func isConfiguration(_ path: String) -> Bool { names(in: path).last == "bruno.json" }

    /// The name of a file without its extension.
    static func baseName(_ file: File) -> String {
        let name = file.path.last ?? ""
        return name.hasSuffix(".bru") ? String(name.dropLast(4)) : name
    }

    /// Returns the path of the only collection: the folder of `bruno.json` or `collection.bru`, or that of all files.
    private static func root(of sources: [SourceFile], _ diagnostics: inout [Diagnostic]) -> [String]? {
        let folders = sources.map { Array(names(in: $0.name).dropLast()) }
        let marks = zip(sources, folders).filter { source, _ in
            isConfiguration(source.name) || names(in: source.name).last == "collection.bru"
        }
        var roots: [[String]] = []
        for (_, folder) in marks where !roots.contains(folder) { roots.append(folder) }
        var common = folders.first ?? []
        for folder in folders { common = zip(common, folder).prefix { $0 == $1 }.map(\.0) }
        guard let root = roots.first else { return common.last == "environments" ? common.dropLast() : common }
        if roots.count == 1, common == root { return root }
        let paths = roots.map { $0.joined(separator: "/") }.joined(separator: ", ")
        let help = "Each collection has its own variables. Import one of them: \(paths)."
        let headline = "there are several collections, or files outside of one"
        diagnostics.report("import-syntax", headline, at: nil, help: [help])
        return nil
    }

    /// Notes something that is not imported.
    mutating func lose(_ what: String, _ reason: String, at span: SourceSpan?) {
        losses.add(what, reason, at: span)
    }

    /// Returns and forgets what was found.
    mutating func take() -> (losses: [ImportLoss], comments: [String]) {
        defer { (losses, comments) = ([], []) }
        return (losses, comments)
    }

    // MARK: Collections and folders

    private mutating func readConfiguration(_ json: JSON, _ source: SourceFile) {
        for (name, value) in json.object ?? JSONObject() {
            switch name {
            case "name": collection.name = value.string
            // What concerns the program, not the requests.
            case "version", "type", "ignore", "presets", "size", "filesCount": break
            case "proxy" where value["enabled"]?.bool != true && value["inherit"]?.bool != false: break
            case "clientCertificates" where value["certs"]?.array?.isEmpty ?? true: break
            case "scripts": comments.append("Bruno's setting scripts: \(JSONWriter().string(value))")
            default: lose("the setting '\(name)' of bruno.json", "a manifest has no setting for it", at: source.start)
            }
        }
    }

    private mutating func readCollection(_ files: [File], _ chosen: [File]) {
        let isEnvironment = { (file: File) in
            file.path.count == 2 && file.path.first == "environments" || file.bru["vars"] != nil
                || file.bru["vars:secret"] != nil
        }
        for file in files.filter(isEnvironment) + chosen { readEnvironment(file) }
        let rest = files.filter { !isEnvironment($0) }
        let own = rest.first { $0.path.count == 1 && $0.path.last == "collection.bru" }
        readReferences()
        if let own { (collection.auth, collection.description) = readLevel(own.bru, isCollection: true) }
        (collection.losses, collection.comments) = take()
        collection.items = readItems(rest, depth: 0)
        noteUnusedVariables(since: Scope())
        for (name, process) in aliases.sorted(by: { $0.key < $1.key }) where !used.contains(name) {
            comments.append("variable that is not used: \(name): {{\(process)}}")
        }
        for field in scope.headers where collection.items.isEmpty {
            comments.append("header field of no request: \(field.name): \(ManifestWriter.source(field.value))")
        }
        collection.comments += take().comments
    }

    /// Reads the items of a folder in the order in which Bruno runs them: folders, then requests.
    private mutating func readItems(_ files: [File], depth: Int) -> [ImportedItem] {
        let folders = Dictionary(grouping: files.filter { $0.path.count > 1 }) { $0.path.first ?? "" }
        let own = folders.mapValues { files in files.first { $0.path.count == 2 && $0.path.last == "folder.bru" }?.bru }
        var items: [ImportedItem] = []
        for name in Self.sorted(own.map { ($0.key, Self.sequence($0.value)) }) {
            let inner = folders[name] ?? []
            guard depth < Self.maximumDepth else {
                let headline = "there are more than \(Self.maximumDepth) levels of folders"
                diagnostics.report("import-syntax", headline, at: inner.first?.bru.source.start)
                break
            }
            let outer = scope
            var folder = ImportedFolder(name: name)
            if let file = own[name] ?? nil {
                folder.name = file["meta"]?.value("name") ?? name
                (folder.auth, folder.description) = readLevel(file, isCollection: false)
            }
            (folder.losses, folder.comments) = take()
            folder.items = readItems(inner.map { File(path: $0.path.dropFirst(), bru: $0.bru) }, depth: depth + 1)
            noteUnusedVariables(since: outer)
            folder.comments += take().comments
            scope = outer
            items.append(.folder(folder))
        }
        let requests = files.filter { $0.path.count == 1 && !["folder.bru", "collection.bru"].contains($0.path.last) }
        let order = requests.enumerated().map { (Self.sequence($1.bru) ?? 1, $0) }.sorted { $0 < $1 }
        return items + order.map { .request(readRequest(requests[$0.1])) }
    }

    private static func sequence(_ file: BruFile?) -> Int? { file?["meta"]?.value("seq").flatMap { Int($0) } }

    /// Orders the names of folders as Bruno does: by name, and those with a number at that position.
    private static func sorted(_ folders: [(name: String, sequence: Int?)]) -> [String] {
        let byName = folders.sorted { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
        let numbered = byName.filter { $0.sequence ?? 0 > 0 }.sorted { $0.sequence ?? 0 < $1.sequence ?? 0 }
        var result = byName.filter { $0.sequence ?? 0 < 1 }.map { [$0] }
        for folder in numbered {
            let position = (folder.sequence ?? 1) - 1
            if position < result.count, result[position][0].sequence == folder.sequence {
                result[position].append(folder)
            } else {
                result.insert([folder], at: min(position, result.count))
            }
        }
        return result.joined().map(\.name)
    }

    // MARK: Environments

    private mutating func readEnvironment(_ file: File) {
        var environment = ImportedEnvironment(name: Self.baseName(file), variables: [])
        var values: [String: ImportedText] = [:]
        var size = 0
        for block in file.bru.blocks {
            for pair in block.pairs {
                addNotes(of: pair)
                noteDisabled(pair, "variable of \(environment.name)")
                guard pair.isEnabled else { continue }
                // A value may refer to those before it.
                let parts = BracedText.text(pair.value).text.parts.map { part -> ImportedText.Part in
                    guard case .variable(let name) = part, let value = values[name]?.literal, size < 1 << 20 else {
                        return part
                    }
                    size += value.utf8.count
                    return .literal(value)
                }
                let value = block.name == "vars:secret" ? nil : ImportedText(parts)
                values[pair.name] = value
                environment.variables.append(ImportedVariable(name: pair.name, value: value, isSecret: value == nil))
            }
        }
        collection.environments.removeAll { $0.name == environment.name }
        collection.environments.append(environment)
    }

    /// Finds the variables that all environments take from the same one of the process.
    private mutating func readReferences() {
        let all = Dictionary(grouping: collection.environments.flatMap(\.variables), by: \.name)
        replaced = Set(all.keys)
        for (name, variables) in all.sorted(by: { $0.key < $1.key }) {
            let values = Set(variables.compactMap(\.value))
            if values.count == 1, let process = values.first?.variables.first, process.hasPrefix(Self.processPrefix),
                values.first?.parts.count == 1
            {
                aliases[name] = process
            }
        }
        for index in collection.environments.indices {
            collection.environments[index].variables.removeAll { aliases[$0.name] != nil }
        }
    }
}
