package import WaybillDiagnostics
import WaybillResults
import WaybillRuntime

/// Finds the manifests that are meant by paths of files and folders.
package enum ManifestFinder {
    /// The manifest that a command uses if no path is given.
    package static let usual = "waybill.yaml"
    /// Whether there is one with that name in the current folder.
    package static var hasUsual: Bool { (try? FileStatus(of: usual)) != nil }

    /// The largest file in a folder that is looked at, in bytes.
    private static let maximumFileBytes = 64 << 20

    /// The manifests at some paths: a file is one itself, and a folder has its `.yaml` and `.yml` files, also those in its
    /// folders, that have the key `waybill` at the top. Each is there once, those of a folder in the order of their paths.
    /// Hidden folders, folders of results and links to folders are passed over.
    ///
    /// Errors are a folder that cannot be read, and one without a manifest.
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

    /// Whether a file has the key `waybill` at the top, as far as that shows without parsing it.
    private static func isManifest(_ path: String) -> Bool {
        guard let bytes = try? FileContents.read(path, limit: maximumFileBytes) else { return false }
        let key = Array("waybill".utf8)
        // The key may stand in quotes, and in a mapping in braces.
        let marks = Set("{\"' ".utf8)
        return bytes.split(separator: UInt8(ascii: "\n")).contains { line in
            guard line.first != UInt8(ascii: " ") else { return false }
            let name = line.drop(while: marks.contains)
            return name.starts(with: key)
                && name.dropFirst(key.count).drop(while: marks.contains).first == UInt8(ascii: ":")
        }
    }
}
