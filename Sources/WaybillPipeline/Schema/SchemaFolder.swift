import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillRuntime
import WaybillSchema

/// The folder of a schema. Its files have addresses next to that of the schema. Nothing is ever fetched.
///
/// A schema with `"$id": "https://example.com/schemas/order.json"` may refer to `item.json` or, equivalently, to
/// `https://example.com/schemas/item.json`: both are the file `item.json` next to it. A schema without an `$id` has the
/// address of its file. An address that is not that of a file may also be an `$id` in one of the files of the folder.
struct SchemaFolder {
    /// The folder, as it was given.
    private let path: String
    /// The path with symbolic links resolved.
    private let canonicalPath: String
    /// The prefix of the addresses, which ends with `/`. Without it, nothing can be referred to by a relative path.
    private let prefix: String?

    /// Returns the folder of the schema at a path, and the address of that schema.
    static func of(_ schema: JSON, at path: String) -> (folder: SchemaFolder, address: String) {
        let given = FileContents.folder(of: path)
        let folder = FileContents.canonicalPath(given) ?? "/"
        let file = URIReference.address(ofFile: path)
        let address = SchemaReferences.address(of: schema, base: file)
        let prefix = address.lastIndex(of: "/").map { String(address[...$0]) }
        return (SchemaFolder(path: given, canonicalPath: folder, prefix: prefix), file)
    }

    /// Returns the path of the file with an address; `nil` if the folder has no such file.
    func file(at address: String) -> String? {
        guard let prefix, address.hasPrefix(prefix), address.count > prefix.count,
            let rest = PercentEncoding.decoded(String(address.dropFirst(prefix.count)))
        else { return nil }
        return file(named: rest)
    }

    /// Returns the files of the folder, without subfolders, by the addresses that their `$id`s define, each with the
    /// address of its whole document. Files that cannot be read, and those much larger than a schema, are skipped.
    func filesByIdentifier(excluding root: String) -> [String: (path: String, address: String)] {
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

    /// Returns the path of a file or link in the folder; `nil` if it leads out of the folder.
    private func file(named name: String) -> String? {
        guard let file = FileContents.canonicalPath("\(canonicalPath)/\(name)"),
            file.hasPrefix(canonicalPath == "/" ? "/" : canonicalPath + "/")
        else { return nil }
        return path == "." ? name : "\(path)/\(name)"
    }
}
