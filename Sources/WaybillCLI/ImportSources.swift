import WaybillDiagnostics
import WaybillImport
import WaybillJSON
import WaybillRuntime

/// The sources of an import, as the command line names them.
struct ImportSources {
    /// The kind that the command line names, or that of the first source that is recognised.
    private(set) var kind: ImportKind?
    /// The files, and those of folders, ordered by path.
    private(set) var files: [SourceFile] = []
    /// The paths of files in folders that do not belong to the kind.
    private(set) var others: [String] = []
    /// What could not be read.
    private(set) var diagnostics: [Diagnostic] = []

    /// The number of bytes that may still be read.
    private var remaining = ImportKind.maximumSize
    /// The number of names in folders that may still be listed.
    private var remainingNames = 100_000
    private static let maximumDepth = 64

    /// Reads sources: files, folders, `-` for standard input, and with the kind `curl` also commands.
    init(_ words: [String], kind: ImportKind?) {
        self.kind = kind
        var paths: [String] = []
        for word in words {
            if kind == .curl, word.contains(where: \.isWhitespace),
                ImportKind(recognizing: SourceFile(name: "", text: word)) == .curl
            {
                files.append(SourceFile(name: "<command line>", text: word))
            } else if word != "-", (try? FileStatus(of: word))?.kind == .folder {
                list(word, depth: 0, &paths)
            } else {
                read(word)
            }
        }
        if self.kind == nil { self.kind = files.lazy.compactMap(ImportKind.init).first }
        readFolders(paths)
        if files.isEmpty, diagnostics.isEmpty, let first = words.first {
            let headline = "nothing in '\(first)' can be imported"
            let endings = self.kind.map { "\($0.description) are files with the ending \($0.endings)" }
            diagnostics.append(
                Diagnostic("unknown-source", endings.map { "\(headline): \($0)" } ?? headline, at: nil)
            )
        }
    }

    /// Reads the files of folders that belong to the kind. If it is not known, the first file of any kind decides.
    private mutating func readFolders(_ paths: [String]) {
        for path in paths {
            if let kind {
                if kind.reads(path) { read(path) } else { others.append(path) }
            } else if ImportKind.allCases.contains(where: { $0.reads(path) }) {
                let count = files.count
                read(path)
                guard files.count > count else { continue }
                kind = ImportKind(recognizing: files[count])
                if kind == nil { files.removeLast() }
            }
        }
        // Those before the first that was recognised.
        guard let kind, !paths.isEmpty else { return }
        let known = Set(files.map { CodePoints($0.name) })
        for path in paths where kind.reads(path) && !known.contains(CodePoints(path)) { read(path) }
        files.sort { $0.name.precedesByCodePoints($1.name) }
    }

    /// Reads a file of values.
    mutating func environment(_ path: String) -> SourceFile? {
        let count = files.count
        read(path)
        return files.count > count ? files.removeLast() : nil
    }

    private mutating func read(_ path: String) {
        do throws(FileError) {
            let bytes = try FileContents.read(path, limit: remaining, acceptsPipes: true)
            remaining -= bytes.count
            files.append(SourceFile(name: path == "-" ? "<standard input>" : path, bytes: bytes))
        } catch {
            diagnostics.append(Diagnostic("unreadable-file", "cannot read '\(path)': \(error.message)", at: nil))
        }
    }

    /// Collects the paths of the files in a folder, in order. Hidden files, but for those of Postman's
    /// `.resources`, and symbolic links are skipped.
    private mutating func list(_ folder: String, depth: Int, _ paths: inout [String]) {
        do throws(FileError) {
            let names = try FolderListing.names(in: folder, limit: remainingNames)
            remainingNames -= names.count
            guard remainingNames > 0, depth < Self.maximumDepth else {
                let what = remainingNames > 0 ? "levels of folders" : "files"
                diagnostics.append(Diagnostic("unreadable-file", "there are too many \(what) in '\(folder)'", at: nil))
                return
            }
            for name in names.sorted(by: { $0.precedesByCodePoints($1) })
            where !name.hasPrefix(".") || name == ".resources" {
                let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
                switch try? FileStatus(of: path, followsLinks: false).kind {
                case .folder where name != "node_modules": list(path, depth: depth + 1, &paths)
                case .file: paths.append(path)
                default: others.append(path)
                }
            }
        } catch {
            diagnostics.append(Diagnostic("unreadable-file", "cannot read '\(folder)': \(error.message)", at: nil))
        }
    }
}
