import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillRuntime

/// The open documents, the folders of the client, and what is known of the manifests in them.
///
/// Files and documents are identified by the resolved paths of files, or by the URIs of documents that are no files.
final class Workspace {
    /// The maximum number of entries of a folder that are searched for manifests.
    private static let maximumEntries = 5_000
    /// The maximum number of manifests that are checked for one document that all of them include.
    static let maximumRoots = 8

    /// How positions are counted.
    var encoding = PositionEncoding.utf16
    /// Whether the client supports snippets.
    var hasSnippets = false
    /// Whether the client indents the lines of a snippet if the server asks for it (`insertTextMode`).
    var adjustsIndentation = false
    /// The paths of the folders of the client. What is known of the files in them is read again after a change.
    var folders: [String] = [] { didSet { includes = nil } }
    /// The open documents.
    private(set) var documents: [CodePoints: TextDocument] = [:]

    private let allowsOutside: Bool
    private let contracts = KnownContracts()
    private var analyses: [CodePoints: Analysis] = [:]
    /// What is known of manifests without the lines of a document that cannot be parsed, by the identity of the document.
    private var repaired: [CodePoints: Analysis] = [:]
    /// The files that each manifest includes; `nil` if the folders must be searched again.
    private var includes: [CodePoints: [CodePoints]]? { didSet { includers = nil } }
    /// The manifests that include each file; `nil` if that must be computed again.
    private var includers: [CodePoints: [CodePoints]]?

    init(allowsOutside: Bool) { self.allowsOutside = allowsOutside }

    // MARK: Documents

    /// Opens a document, or replaces an open one.
    func open(_ uri: String, version: JSON, language: String?, text: String) throws(ResponseError) {
        guard text.utf8.count <= TextDocument.maximumBytes else {
            throw ResponseError(.requestFailed, "the text has more than \(TextDocument.maximumBytes) bytes")
        }
        let name = FileURI.path(of: uri) ?? uri
        let document = TextDocument(uri: uri, name: name, version: version, language: language, text: text)
        set(document, key(ofURI: uri))
    }

    /// Changes an open document. One that cannot be changed is closed, because its text is not that of the editor any more.
    func change(_ uri: String, version: JSON, _ changes: [JSON]) throws(ResponseError) {
        let key = key(ofURI: uri)
        guard var document = documents[key] else { return }
        document.version = version
        do {
            try document.apply(changes, encoding)
            set(document, key)
        } catch {
            set(nil, key)
            throw error
        }
    }

    /// Closes a document: from now on, its file counts.
    func close(_ uri: String) {
        set(nil, key(ofURI: uri))
    }

    /// Drops what was read from a file.
    func fileChanged(_ uri: String) {
        forget(key(ofURI: uri))
        includes = nil
    }

    /// Returns the open document with a URI.
    func document(_ uri: String) -> TextDocument? { documents[key(ofURI: uri)] }

    /// Returns the identity of a file or document by its URI.
    func key(ofURI uri: String) -> CodePoints {
        CodePoints(FileURI.path(of: uri).map(FileContents.resolvedPath) ?? uri)
    }

    /// Returns the identity of the file or document with a name, such as that of a source file.
    func key(ofName name: String) -> CodePoints {
        documents[CodePoints(name)] == nil ? CodePoints(FileContents.resolvedPath(name)) : CodePoints(name)
    }

    /// Returns the URI of a file or document: that of the client if it is open.
    func uri(of key: CodePoints) -> String { documents[key]?.uri ?? FileURI.uri(of: key.text) }

    private func set(_ document: TextDocument?, _ key: CodePoints) {
        documents[key] = document
        forget(key)
        guard includes != nil else { return }
        // A text that cannot be parsed while it is edited still includes the same files.
        guard let file = text(of: key), let read = Self.includes(in: file, resolved: key(ofName:)) else { return }
        guard includes?[key] != read else { return }
        var all = includes ?? [:]
        all[key] = read
        readIncludes(of: read, to: &all)
        includes = all
    }

    private func forget(_ key: CodePoints) {
        repaired = [:]
        analyses = analyses.filter { $0.key != key && !$0.value.readFiles.contains(key) }
    }

    // MARK: Manifests

    /// Returns the manifests that a document is part of: those that include it, directly or not, and that no other one includes;
    /// itself if there is none. Open ones come first.
    func roots(of key: CodePoints) -> [CodePoints] {
        let includers = knownIncluders
        var found: [CodePoints] = []
        var seen: Set = [key]
        var waiting = [key]
        while let next = waiting.popLast() {
            let outer = (includers[next] ?? []).filter { $0 != next }
            if outer.isEmpty { found.append(next) }
            waiting += outer.filter { seen.insert($0).inserted }
        }
        // In a cycle, each file is included by another one.
        if found.isEmpty { found = [key] }
        return found.sorted {
            let isOpen = (documents[$0] != nil, documents[$1] != nil)
            return isOpen.0 != isOpen.1 ? isOpen.0 : $0.text < $1.text
        }
    }

    /// Whether a document is a manifest or a part of one. Editors also open other files in YAML. A document that was a manifest
    /// stays one.
    func isManifest(_ key: CodePoints) -> Bool {
        if let document = documents[key] {
            if document.isMarkedAsManifest { return true }
            if ManifestRecognition.isManifest(document.file) || ManifestRecognition.isMeant(document.file) {
                documents[key]?.isMarkedAsManifest = true
                return true
            }
        }
        return roots(of: key) != [key]
    }

    /// Returns what is known of a manifest; `nil` if its file cannot be read.
    func analysis(of root: CodePoints) -> Analysis? {
        if let known = analyses[root] { return known }
        guard let file = text(of: root) else { return nil }
        let analysis = Analysis(file, files: files, allowsOutside: allowsOutside)
        analyses[root] = analysis
        return analysis
    }

    /// Returns what is known of a manifest that a document is part of. Of a document that cannot be parsed, the lines with
    /// errors are left out.
    func analysis(of root: CodePoints, for key: CodePoints) -> Analysis? {
        guard let known = analysis(of: root), let document = documents[key] else { return nil }
        if known.checked != nil, known.texts.contains(where: { self.key(ofName: $0.name) == key }) { return known }
        if let repaired = repaired[key] { return repaired }
        guard let text = RepairedText.repair(document.file) else { return known }
        let analysis = analysis(of: root, replacing: [key: text])
        repaired[key] = analysis
        return analysis
    }

    /// Returns what is known of a manifest with other texts, by the identities of files.
    func analysis(
        of root: CodePoints,
        replacing texts: [CodePoints: [UInt8]],
        operations: BoundOperations = .called
    ) -> Analysis? {
        var files = files
        files.texts.merge(texts) { $1 }
        guard let file = text(of: root) else { return nil }
        let text = texts[root].map { SourceFile(name: file.name, bytes: $0) } ?? file
        return Analysis(text, files: files, allowsOutside: allowsOutside, operations: operations)
    }

    /// Forgets the manifests that no open document is part of.
    func keepAnalyses(of roots: Set<CodePoints>) { analyses = analyses.filter { roots.contains($0.key) } }

    private var files: EditorFiles { EditorFiles(texts: documents.mapValues(\.file.bytes), contracts: contracts) }

    private func text(of key: CodePoints) -> SourceFile? {
        if let document = documents[key] { return document.file }
        guard let bytes = try? LocalFiles().read(key.text, limit: TextDocument.maximumBytes, acceptsPipes: false) else {
            return nil
        }
        return SourceFile(name: key.text, bytes: bytes)
    }

    private var knownIncluders: [CodePoints: [CodePoints]] {
        if let includers { return includers }
        var read = includes ?? [:]
        if includes == nil {
            let found = ManifestFinder.manifests(at: folders, maximumEntries: Self.maximumEntries).manifests
            readIncludes(of: documents.keys + found.map { CodePoints(FileContents.resolvedPath($0)) }, to: &read)
            includes = read
        }
        var computed: [CodePoints: [CodePoints]] = [:]
        for (manifest, included) in read { for file in included { computed[file, default: []].append(manifest) } }
        includers = computed
        return computed
    }

    /// Adds the files that some files include, directly or not, to what is known.
    private func readIncludes(of files: [CodePoints], to read: inout [CodePoints: [CodePoints]]) {
        var waiting = files
        while let key = waiting.popLast() {
            guard read[key] == nil else { continue }
            let included = text(of: key).flatMap { Self.includes(in: $0, resolved: key(ofName:)) } ?? []
            read[key] = included
            waiting += included
        }
    }

    /// Returns the files that a text includes; `nil` if it cannot be parsed.
    private static func includes(in file: SourceFile, resolved: (String) -> CodePoints) -> [CodePoints]? {
        guard file.bytes.contains(Array("include".utf8)) else { return [] }
        guard let document = YAMLReader().read(file).document else { return nil }
        let folder = FileContents.folder(of: file.name)
        return (document["include"]?.sequence ?? []).compactMap { entry in
            entry.text.map { resolved(FileContents.path($0, in: folder)) }
        }
    }
}
