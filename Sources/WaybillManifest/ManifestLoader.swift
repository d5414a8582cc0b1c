import OrderedCollections
package import WaybillDiagnostics
import WaybillJSON
import WaybillRuntime

/// A manifest with everything that it includes, before anything in it is resolved.
package struct LoadedManifest: Sendable {
    /// The manifest; `nil` if it could not be parsed. If the diagnostics contain errors, it contains the parts that
    /// could be decoded and marks the unknown ones: it can be checked but not run.
    package let manifest: Manifest?
    /// The errors and warnings about its syntax, its structure and its expressions.
    package let diagnostics: [Diagnostic]
}

/// Reads a manifest and everything it includes, and reports every diagnostic with its location. For each file:
/// bytes → tree (`parse`) → tree of a valid shape (`checkShape`) → model (`decode`).
package struct ManifestLoader: Sendable {
    /// The maximum size of a file in bytes.
    package var maximumBytes = 64 << 20
    /// The maximum depth of nested includes.
    package var maximumIncludeDepth = 32
    /// Whether included files may be outside the folder of the manifest.
    package var allowsOutside = false

    fileprivate let files: any ManifestFileSystem
    private let schema = ManifestSchema.shared

    /// Creates a loader.
    package init(files: any ManifestFileSystem = LocalFiles()) {
        self.files = files
    }

    /// Reads the manifest at a path, or from standard input for `-`.
    package func load(_ path: String) -> LoadedManifest {
        var loading = ManifestLoading(loader: self, schema: schema, rootPath: path)
        let manifest = loading.load(path, includedAt: nil)
        return LoadedManifest(manifest: manifest, diagnostics: loading.diagnostics)
    }

    /// Reads a manifest that is not saved yet. The files it includes are relative to the path that is its name.
    package func load(_ file: SourceFile) -> LoadedManifest {
        var loading = ManifestLoading(loader: self, schema: schema, rootPath: file.name)
        let manifest = loading.load(file, path: file.name, includedAt: nil)
        return LoadedManifest(manifest: manifest, diagnostics: loading.diagnostics)
    }
}

/// The state while one manifest is loaded: the files and diagnostics so far.
private struct ManifestLoading {
    let loader: ManifestLoader
    let schema: ManifestSchema
    let boundary: FolderBoundary
    var diagnostics: [Diagnostic] = []

    /// The canonical paths of the files being read, outermost first, with the location of the include that led there.
    private var chain: [(path: String, includedAt: SourceSpan?)] = []
    private var loaded: Set<CodePoints> = []

    init(loader: ManifestLoader, schema: ManifestSchema, rootPath: String) {
        self.loader = loader
        self.schema = schema
        self.boundary = FolderBoundary(folder: FileContents.folder(of: rootPath), allowsOutside: loader.allowsOutside)
    }

    /// Returns the manifest at a path with its includes merged in; `nil` if it cannot be read or was already merged in.
    mutating func load(_ path: String, includedAt span: SourceSpan?) -> Manifest? {
        guard let bytes = read(path, includedAt: span) else { return nil }
        let file = SourceFile(name: path == "-" ? "<standard input>" : path, bytes: bytes)
        return load(file, path: path, includedAt: span)
    }

    /// Returns the manifest in a source file with its includes merged in.
    mutating func load(_ file: SourceFile, path: String, includedAt span: SourceSpan?) -> Manifest? {
        let canonical = FileContents.canonicalPath(path) ?? path
        if let cycle = chain.firstIndex(where: { $0.path.hasSameCodePoints(as: canonical) }) {
            reportCycle(from: cycle, at: span)
            return nil
        }
        guard loaded.insert(CodePoints(canonical)).inserted else { return nil }
        let files = ManifestFiles(folder: FileContents.folder(of: path), boundary: boundary, system: loader.files)
        if let span, !boundary.encloses(path) {
            diagnostics.append(FileRefusal.outside(path).diagnostic(at: span))
            return nil
        }
        guard chain.count < loader.maximumIncludeDepth else {
            diagnostics.report(
                "include-depth",
                "includes are nested more than \(loader.maximumIncludeDepth) levels deep",
                at: span
            )
            return nil
        }
        chain.append((canonical, span))
        defer { chain.removeLast() }

        guard let parsed = parse(file) else { return nil }
        let tree = checkShape(parsed)
        var manifest = decode(tree, files: files)
        for include in manifest.includes where !manifest.unknown.explain(include.span) {
            let count = diagnostics.count
            if let included = load(files.path(include.value), includedAt: include.span) {
                manifest.include(included, diagnostics: &diagnostics)
            } else if diagnostics.count > count {
                // The file that could not be read may define any name.
                manifest.unknown.noteAll()
                manifest.defaults.unknown = Set(SettingDefinitions.levelKeys)
            }
        }
        return manifest
    }

    /// A tree and the errors found in it so far.
    private typealias Tree = (node: YAMLNode, faults: TreeErrors)

    /// Parses a file; `nil` if it could not be parsed to its end.
    private mutating func parse(_ file: SourceFile) -> Tree? {
        if let misuse = EnvironmentFile.misuse(of: file) {
            diagnostics.append(misuse)
            return nil
        }
        let (node, problems) = YAMLReader().read(file)
        diagnostics += problems
        guard let node else { return nil }
        var faults = TreeErrors(of: node)
        faults.note(problems)
        return (node, faults)
    }

    /// Checks a tree for scalars that YAML interprets in an unexpected way, and against the schema of manifests.
    private mutating func checkShape(_ tree: Tree) -> Tree {
        let node = tree.node
        var faults = tree.faults
        let traps = YAMLPitfalls(in: node).diagnostics.filter { !faults.explain($0) }
        faults.note(traps)
        let shape = schema.check(node, knowing: faults)
        diagnostics += traps + shape.diagnostics
        return (node, shape.faults)
    }

    /// Decodes one file and marks what its errors leave unknown.
    private mutating func decode(_ tree: Tree, files: ManifestFiles) -> Manifest {
        let node = tree.node
        var faults = tree.faults
        let decoded = ManifestDecoder.decode(node, files: files, shape: faults)
        let rest = decoded.diagnostics.filter { !faults.explain($0) }
        faults.note(rest)
        diagnostics += rest
        guard !faults.isEmpty else { return decoded.manifest }
        // Now that all errors are known, unknown parts can be distinguished from missing ones.
        faults.settle()
        let earlier = decoded.manifest
        return ManifestDecoder.decode(node, files: files, shape: tree.faults, faults: faults, earlier: earlier).manifest
    }

    private mutating func read(_ path: String, includedAt span: SourceSpan?) -> [UInt8]? {
        do {
            return try loader.files.read(path, limit: loader.maximumBytes, acceptsPipes: span == nil)
        } catch {
            if let span, error.reason != .notFound, !boundary.contains(path) {
                diagnostics.append(FileRefusal.outside(path).diagnostic(at: span))
                return nil
            }
            let kind = span == nil ? "manifest" : "included file"
            diagnostics.report(
                "unreadable-file",
                "the \(kind) \(path) cannot be read: \(error.message)",
                at: span,
                secondary: chain.compactMap(\.includedAt).map { .init($0, "included here") }
            )
            return nil
        }
    }

    private mutating func reportCycle(from index: Int, at span: SourceSpan?) {
        let spans = chain[(index + 1)...].compactMap(\.includedAt)
        diagnostics.report(
            "include-cycle",
            "this file includes itself",
            at: span,
            secondary: spans.map { .init($0, "through this include") }
        )
    }
}

extension Manifest {
    /// Adds the definitions of an included file. A name that both files define is an error at both locations.
    fileprivate mutating func include(_ other: Manifest, diagnostics: inout [Diagnostic]) {
        documents += other.documents
        schemaFiles.merge(other.schemaFiles) { first, _ in first }
        unknown.formUnion(other.unknown)
        func add<Value: Sendable>(
            _ kind: String,
            _ others: Definitions<Value>,
            to definitions: inout Definitions<Value>,
            _ section: ManifestSection
        ) {
            for (name, definition) in others {
                guard let first = definitions[name] else {
                    definitions[name] = definition
                    continue
                }
                // Either definition may have been meant to have another name.
                unknown.note(name, in: section)
                unknown.note(section)
                diagnostics.report(
                    "duplicate-definition",
                    "the \(kind) '\(name)' is defined twice",
                    at: first.name.span,
                    secondary: [.init(definition.name.span, "also defined here")]
                )
            }
        }
        add("input", other.inputs, to: &inputs, .inputs)
        add("secret", other.secrets, to: &secrets, .secrets)
        add("data", other.data, to: &data, .data)
        add("environment", other.environments, to: &environments, .environments)
        add("service", other.services, to: &services, .services)
        add("filter", other.filters, to: &filters, .filters)
        add("endpoint", other.endpoints, to: &endpoints, .endpoints)
        add("graph", other.graphs, to: &graphs, .graphs)
        defaults = Cascade.merge([other.defaults, defaults])
    }
}
