import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillRuntime
import WaybillSchema

/// The folder of a schema, whose files stand for the addresses beside that of the schema. Nothing is ever fetched.
///
/// A schema with `"$id": "https://example.com/schemas/order.json"` may refer to `item.json` or, which is the same, to
/// `https://example.com/schemas/item.json`: both are the file `item.json` beside it. A schema without an `$id` has the
/// address of its file. An address that is not that of a file may also be an `$id` in one of the files of the folder.
struct SchemaFolder {
    /// The folder, as it was given.
    private let path: String
    /// The same, with symbolic links resolved.
    private let canonicalPath: String
    /// What the addresses begin with; ends in `/`. Without it nothing can be referred to by a relative path.
    private let prefix: String?

    /// The folder of the schema at a path, and the address of that schema.
    static func of(_ schema: JSON, at path: String) -> (folder: SchemaFolder, address: String) {
        let given = FileContents.folder(of: path)
        let folder = FileContents.canonicalPath(given) ?? "/"
        let file = URIReference.address(ofFile: path)
        let address = SchemaReferences.address(of: schema, base: file)
        let prefix = address.lastIndex(of: "/").map { String(address[...$0]) }
        return (SchemaFolder(path: given, canonicalPath: folder, prefix: prefix), file)
    }

    /// The path of the file that an address stands for; `nil` where there is no such file in the folder.
    func file(at address: String) -> String? {
        guard let prefix, address.hasPrefix(prefix), address.count > prefix.count,
            let rest = PercentEncoding.decoded(String(address.dropFirst(prefix.count)))
        else { return nil }
        return file(named: rest)
    }

    /// The files of the folder, not of folders inside it, by the addresses that an `$id` in them gives, each with the address
    /// of its whole document. Files that cannot be read, and those much larger than a schema, are left out.
    func filesByIdentifier(besides root: String) -> [String: (path: String, address: String)] {
        let names = (try? FolderListing.names(in: canonicalPath, limit: Self.mostFiles)) ?? []
        var files: [String: (path: String, address: String)] = [:]
        for name in names.sorted() {
            guard RecordFormats.readable(ofFile: name)?.isList == false, let file = file(named: name), file != root,
                let content = try? DataFile.read(file, limit: Self.largestFile), let schema = content.value().value
            else { continue }
            let base = (prefix ?? "") + PercentEncoding.path(name)
            let whole = SchemaReferences.address(of: schema, base: base)
            for address in SchemaReferences.identifiers(in: schema, base: base) where files[address] == nil {
                files[address] = (file, whole)
            }
        }
        return files
    }

    private static let mostFiles = 10_000
    private static let largestFile = 4 << 20

    /// The path of a file or link of the folder; `nil` where it leads out of the folder.
    private func file(named name: String) -> String? {
        guard let file = FileContents.canonicalPath("\(canonicalPath)/\(name)"),
            file.hasPrefix(canonicalPath == "/" ? "/" : canonicalPath + "/")
        else { return nil }
        return path == "." ? name : "\(path)/\(name)"
    }
}
