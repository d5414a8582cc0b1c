package import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
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

    /// What is at some paths.
    package struct Result {
        /// The manifests, each once.
        package fileprivate(set) var manifests: [String] = []
        /// The YAML files in folders that are not manifests.
        package fileprivate(set) var others: [String] = []
        /// The paths that cannot be read, and the folders without a manifest.
        package fileprivate(set) var errors: [Diagnostic] = []
        /// The number of entries of folders that may still be inspected.
        fileprivate var remaining = Int.max

        fileprivate mutating func fail(_ path: String, _ reason: String) {
            errors.append(Diagnostic("unreadable-file", "cannot read '\(path)': \(reason)", at: nil))
        }
    }

    /// Finds the manifests at some paths. A file is a manifest itself. A folder contributes its `.yaml` and `.yml` files
    /// that have the key `waybill` at the top level, including those in subfolders, ordered by path, and those that the
    /// loader rejects before this can be determined. Hidden files and folders, folders of results and links to folders
    /// are skipped.
    ///
    /// - Parameter maximumEntries: The maximum number of entries of each folder and its subfolders that are inspected.
    package static func manifests(at paths: [String], maximumEntries: Int = .max) -> Result {
        var result = Result()
        var known: Set<CodePoints> = []
        for path in paths {
            var found = Result()
            found.remaining = maximumEntries
            if path != "-", (try? FileStatus(of: path))?.kind == .folder {
                collect(in: path, &found)
                if found.manifests.isEmpty, found.errors.isEmpty {
                    let help = "A manifest is a .yaml or .yml file with the key 'waybill' at the top."
                    found.errors.append(
                        Diagnostic("no-manifest", "there is no manifest in '\(path)'", at: nil, help: [help])
                    )
                }
            } else {
                found.manifests = [path]
            }
            result.others += found.others
            result.errors += found.errors
            result.manifests += found.manifests.filter {
                known.insert(CodePoints(FileContents.canonicalPath($0) ?? $0)).inserted
            }
        }
        return result
    }

    private static func collect(in folder: String, _ found: inout Result) {
        let names: [String]
        do throws(FileError) {
            for (name, isFolder) in try FolderListing.namesBeyondUTF8(in: folder)
            where isFolder || isYAML(name) && !name.hasPrefix(".") {
                found.fail("\(folder)/\(name)", "its name is not UTF-8")
            }
            names = try FolderListing.names(in: folder, limit: .max)
        } catch {
            return found.fail(folder, error.message)
        }
        for name in names.sorted(by: { $0.precedesByCodePoints($1) }) where !name.hasPrefix(".") {
            guard found.remaining > 0 else { return }
            found.remaining -= 1
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            switch try? FileStatus(of: path, followsLinks: false).kind {
            case .folder where name != RunFolders.usual: collect(in: path, &found)
            case .file where isYAML(name), .other where isYAML(name): add(path, to: &found)
            case .link where isYAML(name) && (try? FileStatus(of: path).kind) != .folder: add(path, to: &found)
            default: break
            }
        }
    }

    private static func isYAML(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    }

    /// Adds a YAML file in a folder.
    private static func add(_ path: String, to found: inout Result) {
        do throws(FileError) {
            let bytes = try FileContents.read(path, limit: maximumFileBytes)
            let isManifest = ManifestRecognition.isManifest(SourceFile(name: path, bytes: bytes))
            if isManifest { found.manifests.append(path) } else { found.others.append(path) }
        } catch {
            found.fail(path, error.message)
        }
    }
}
