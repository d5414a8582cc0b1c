package import WaybillDiagnostics
import WaybillResults
import WaybillRuntime

/// Finds manifests by the paths of files and folders.
package enum ManifestFinder {
    /// The manifest that a command uses if no path is given.
    package static let usual = "waybill.yaml"
    /// Whether the current folder contains the default manifest.
    package static var hasUsual: Bool { (try? FileStatus(of: usual)) != nil }

    /// The maximum size of a file in a folder that is inspected, in bytes.
    private static let maximumFileBytes = 64 << 20

    /// Returns the manifests at some paths. A file is a manifest itself. A folder contributes its `.yaml` and `.yml`
    /// files that have the key `waybill` at the top level, including those in subfolders, ordered by path. Each
    /// manifest is returned once. Hidden folders, folders of results and links to folders are skipped.
    ///
    /// A folder that cannot be read, and a folder without a manifest, are errors.
    package static func manifests(at paths: [String]) -> (manifests: [String], errors: [Diagnostic]) {
        var manifests: [String] = []
        var known: Set<String> = []
        var errors: [Diagnostic] = []
        for path in paths {
            var found = [path]
            if path != "-", (try? FileStatus(of: path))?.kind == .folder {
                found = []
                do throws(FileError) {
                    try collect(in: path, &found)
                } catch {
                    errors.append(Diagnostic("unreadable-file", "cannot read '\(path)': \(error.message)", at: nil))
                    continue
                }
                if found.isEmpty {
                    let help = "A manifest is a .yaml or .yml file with the key 'waybill' at the top."
                    errors.append(Diagnostic("no-manifest", "there is no manifest in '\(path)'", at: nil, help: [help]))
                }
            }
            for manifest in found where known.insert(FileContents.canonicalPath(manifest) ?? manifest).inserted {
                manifests.append(manifest)
            }
        }
        return (manifests, errors)
    }

    private static func collect(in folder: String, _ found: inout [String]) throws(FileError) {
        let names = try FolderListing.names(in: folder, limit: .max).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        for name in names where !name.hasPrefix(".") && name != RunFolders.usual {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            let isYAML = name.hasSuffix(".yaml") || name.hasSuffix(".yml")
            switch try? FileStatus(of: path, followsLinks: false).kind {
            case .folder: try collect(in: path, &found)
            case .file where isYAML && isManifest(path): found.append(path)
            case .link where isYAML && (try? FileStatus(of: path).kind) == .file && isManifest(path): found.append(path)
            default: break
            }
        }
    }

    /// Whether a file has the key `waybill` at the top level, as far as this can be determined without parsing it.
    private static func isManifest(_ path: String) -> Bool {
        guard let bytes = try? FileContents.read(path, limit: maximumFileBytes) else { return false }
        let key = Array("waybill".utf8)
        // The key may be in quotes, and in a mapping in braces.
        let marks = Set("{\"' ".utf8)
        return bytes.split(separator: UInt8(ascii: "\n")).contains { line in
            guard line.first != UInt8(ascii: " ") else { return false }
            let name = line.drop(while: marks.contains)
            return name.starts(with: key)
                && name.dropFirst(key.count).drop(while: marks.contains).first == UInt8(ascii: ":")
        }
    }
}
