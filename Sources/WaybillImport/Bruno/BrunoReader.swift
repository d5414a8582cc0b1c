import WaybillDiagnostics
import WaybillJSON

/// Reads collections of Bruno: folders of files in the Bru language, and single files.
struct BrunoReader: ImportReader {
    static let description = "Bruno collections"
    static let fileExtensions = [".bru", "bruno.json"]

    static func recognizes(_ text: RecognizedText) -> Bool {
        if let json = text.json {
            return lastName(of: text.name) == "bruno.json" && json["type"]?.string == "collection"
        }
        return text.name.hasSuffix(".bru") || BruFile.recognizes(text.text)
    }

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
        /// The file with the credentials.
        var auth: (mode: String, file: BruFile)?
        /// What each level does before and after a request, the outermost first.
        var scripts: [ScriptTranslation] = []
    }

    /// The variables that a response or a script sets: they replace all others.
    let assigned: Set<String>
    /// Variables of environments that stand for a variable of the process: `token: {{process.env.TOKEN}}`.
    private(set) var aliases: [String: String] = [:]
    /// The variables of environments, which replace those of the collection.
    private(set) var replaced: Set<String> = []
    var collection = ImportedCollection()
    var diagnostics: [Diagnostic] = []
    var scope = Scope()
    /// The variables of the scope that something uses.
    var used: Set<String> = []
    /// What was found in the file that is being read.
    var losses: [ImportLoss] = []
    var comments: [String] = []

    /// The maximum number of folders in each other.
    private static let maximumDepth = 50

    /// Reads a collection twice: the first time finds the variables that are set while it runs.
    static func read(
        _ sources: [SourceFile],
        _ options: ImportOptions
    ) -> (collection: ImportedCollection, diagnostics: [Diagnostic]) {
        var diagnostics: [Diagnostic] = []
        let config = sources.first { lastName(of: $0.name) == "bruno.json" }
        guard let root = root(of: sources, &diagnostics) else { return (ImportedCollection(), diagnostics) }
        let files = sources.filter { lastName(of: $0.name) != "bruno.json" }.map { source in
            File(path: names(in: source.name).dropFirst(root.count), bru: BruFile(source, &diagnostics))
        }
        let environments = options.environments.map { source in
            File(path: [lastName(of: source.name)], bru: BruFile(source, &diagnostics))
        }
        let json = config.flatMap { $0.json(&diagnostics) }
        var result = BrunoReader(assigned: [])
        for _ in 0..<2 {
            let requests = result.collection.items.flatMap(\.requests)
            let assigned = requests.flatMap { $0.assignments.map(\.variable) + $0.captures.map(\.variable) }
            result = BrunoReader(assigned: Set(assigned))
            result.readConfiguration(json, config)
            result.readCollection(files, environments)
            result.collection.name = result.collection.name ?? root.last
        }
        return (result.collection, diagnostics + result.diagnostics)
    }

    private init(assigned: Set<String>) { self.assigned = assigned }

    private static func names(in path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }
    }

    private static func lastName(of path: String) -> String { names(in: path).last ?? path }

    /// Returns the path of the only collection: the folder of `bruno.json` or `collection.bru`, or the folder of all files.
    private static func root(of sources: [SourceFile], _ diagnostics: inout [Diagnostic]) -> [String]? {
        var roots: [[String]] = []
        for source in sources where ["bruno.json", "collection.bru"].contains(lastName(of: source.name)) {
            let folder = Array(names(in: source.name).dropLast())
            if !roots.contains(folder) { roots.append(folder) }
        }
        guard roots.count < 2 else {
            diagnostics.report(
                "import-syntax",
                "there are \(roots.count) collections, each with its own variables",
                at: nil,
                help: ["Import one of them: \(roots.map { $0.joined(separator: "/") }.joined(separator: ", "))."]
            )
            return nil
        }
        var common = roots.first ?? sources.first.map { Array(names(in: $0.name).dropLast()) } ?? []
        for source in sources {
            let matching = zip(common, names(in: source.name).dropLast()).prefix { $0 == $1 }.count
            common = Array(common.prefix(matching))
        }
        if let root = roots.first, common != root {
            diagnostics.report(
                "import-syntax",
                "there are files outside of the collection \(root.joined(separator: "/"))",
                at: nil,
                help: ["Import them for themselves."]
            )
            return nil
        }
        return roots.isEmpty && common.last == "environments" ? common.dropLast() : common
    }

    /// Notes something that is not imported.
    mutating func lose(_ what: String, _ reason: String, at span: SourceSpan?) {
        losses.append(ImportLoss(what, reason, at: span))
    }

    /// Returns and forgets what was found.
    mutating func take() -> (losses: [ImportLoss], comments: [String]) {
        defer { (losses, comments) = ([], []) }
        return (losses, comments)
    }

    // MARK: Collections and folders

    private mutating func readConfiguration(_ json: JSON?, _ source: SourceFile?) {
        guard let source, let members = json?.object else { return }
        let span = SourceSpan(file: source, range: 0..<min(1, source.bytes.count))
        for (name, value) in members {
            switch (name, value) {
            case ("name", .string(let name)): collection.name = name
            // What concerns the program, not the requests.
            case ("version", _), ("type", _), ("ignore", _), ("presets", _), ("size", _), ("filesCount", _): break
            case ("proxy", _) where value["enabled"]?.bool != true && value["disabled"] == nil: break
            case ("clientCertificates", _) where value["certs"]?.array?.isEmpty ?? true: break
            case ("scripts", _), ("moduleWhitelist", _), ("openapi", _):
                collection.comments.append("Bruno's setting \(name): \(JSONWriter().string(value))")
            default: lose("the setting '\(name)' of bruno.json", "a manifest has no setting for it", at: span)
            }
        }
    }

    private mutating func readCollection(_ files: [File], _ chosen: [File]) {
        let all = files.filter { Self.isEnvironment($0.bru) || Self.isIn("environments", $0) } + chosen
        for file in all where !chosen.contains(where: { $0.path.last == file.path.last }) || file.path.count == 1 {
            readEnvironment(file)
        }
        findAliases()
        replaced = Set(collection.environments.flatMap { $0.variables.map(\.name) })
        let requests = files.filter { file in !all.contains { $0.bru.source == file.bru.source } }
        if let file = requests.first(where: { $0.path.count == 1 && $0.path.last == "collection.bru" }) {
            let level = readLevel(file.bru, isCollection: true)
            collection.auth = level.auth
            collection.description = level.description
        }
        let found = take()
        collection.losses += found.losses
        collection.comments += found.comments
        collection.items = readItems(requests, depth: 0)
        noteUnusedVariables(since: Scope())
        collection.comments += take().comments
        checkEnvironments()
    }

    private static func isIn(_ folder: String, _ file: File) -> Bool {
        file.path.count == 2 && file.path.first == folder
    }

    /// Reads the items of a folder in the order in which Bruno runs them: folders, then requests.
    private mutating func readItems(_ files: [File], depth: Int) -> [ImportedItem] {
        let groups = Dictionary(grouping: files.filter { $0.path.count > 1 }) { $0.path.first ?? "" }
        let own = { (name: String) in groups[name]?.first { $0.path.count == 2 && $0.path.last == "folder.bru" } }
        var items: [ImportedItem] = []
        for name in Self.sorted(groups.keys.map { ($0, own($0).flatMap { Self.sequence($0.bru) }) }) {
            let inner = groups[name] ?? []
            guard depth < Self.maximumDepth else {
                let span = inner[0].bru.span(0..<1)
                diagnostics.report(
                    "import-syntax",
                    "there are more than \(Self.maximumDepth) levels of folders",
                    at: span
                )
                break
            }
            let outer = scope
            var folder = ImportedFolder(name: name)
            if let file = own(name) {
                let level = readLevel(file.bru, isCollection: false)
                folder.name = file.bru["meta"]?.value("name") ?? name
                (folder.auth, folder.description) = (level.auth, level.description)
            }
            (folder.losses, folder.comments) = take()
            folder.items = readItems(inner.map { File(path: $0.path.dropFirst(), bru: $0.bru) }, depth: depth + 1)
            noteUnusedVariables(since: outer)
            folder.comments += take().comments
            scope = outer
            items.append(.folder(folder))
        }
        let requests = files.filter {
            $0.path.count == 1 && $0.path.last != "folder.bru" && $0.path.last != "collection.bru"
        }
        let ordered = requests.enumerated().sorted { left, right in
            (Self.sequence(left.element.bru) ?? 1, left.offset) < (Self.sequence(right.element.bru) ?? 1, right.offset)
        }
        return items + ordered.map { .request(readRequest($0.element)) }
    }

    private static func sequence(_ file: BruFile) -> Int? { file["meta"]?.value("seq").flatMap { Int($0) } }

    /// Orders the names of folders as Bruno does: by name, and those with a number at that position.
    private static func sorted(_ folders: [(name: String, sequence: Int?)]) -> [String] {
        let byName = folders.sorted { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
        let hasPosition = { (folder: (name: String, sequence: Int?)) in (folder.sequence ?? 0) > 0 }
        var result = byName.filter { !hasPosition($0) }.map { [$0] }
        for folder in byName.filter(hasPosition).sorted(by: { $0.sequence ?? 0 < $1.sequence ?? 0 }) {
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

    private static func isEnvironment(_ file: BruFile) -> Bool {
        file.blocks.contains { $0.name == "vars" || $0.name == "vars:secret" }
    }

    private mutating func readEnvironment(_ file: File) {
        let name = (file.path.last ?? "environment").split(separator: ".").dropLast().joined(separator: ".")
        var environment = ImportedEnvironment(name: name.isEmpty ? "environment" : name, variables: [])
        var values: [String: ImportedText] = [:]
        for block in file.bru.blocks {
            for pair in block.pairs {
                guard pair.isEnabled else {
                    comments.append(
                        "disabled variable of \(name): \(pair.name): \(PostmanReader.shown(pair.value, of: pair.name))"
                    )
                    continue
                }
                addNotes(of: pair)
                let isSecret = block.name == "vars:secret"
                let value = isSecret ? nil : Self.braced(pair.value, values)
                values[pair.name] = value
                environment.variables.append(ImportedVariable(name: pair.name, value: value, isSecret: isSecret))
            }
        }
        collection.environments.removeAll { $0.name == environment.name }
        collection.environments.append(environment)
    }

    /// Returns a text with the known ones of its variables replaced by their values.
    private static func braced(_ text: String, _ values: [String: ImportedText]) -> ImportedText {
        var size = 0
        var result = ImportedText()
        for part in BracedText.text(text).text.parts {
            if case .variable(let name) = part, let value = values[name], size < 65_536 {
                result.append(value)
                size += value.literal?.utf8.count ?? 1024
            } else {
                result.append(part)
            }
        }
        return result
    }

    /// Finds the variables whose values all environments take from the same variable of the process.
    private mutating func findAliases() {
        for (name, variables) in Dictionary(grouping: collection.environments.flatMap(\.variables), by: \.name) {
            guard let value = variables[0].value, value.parts.count == 1, let process = value.variables.first,
                process.hasPrefix("process.env."), variables.allSatisfy({ $0.value == value })
            else { continue }
            aliases[name] = process
        }
    }

    /// Reports the values of environments that the manifest does not have.
    private mutating func checkEnvironments() {
        let known = Set(collection.variables.filter { $0.value?.literal != nil }.map(\.name))
        for environment in collection.environments {
            for variable in environment.variables where aliases[variable.name] == nil {
                guard let value = variable.value, !known.isSuperset(of: value.variables) else { continue }
                collection.losses.append(
                    ImportLoss(
                        "the value '\(ManifestWriter.source(value))' of '\(variable.name)' in \(environment.name)",
                        "an environment has values without references",
                        at: nil
                    )
                )
            }
        }
    }
}
