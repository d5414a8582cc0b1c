import WaybillRuntime

/// The bodies of responses that are kept in the folder of a run.
package struct KeptBodies: Sendable {
    /// The paths of the files, by their names without the extension.
    private var files: [String: String] = [:]

    /// The bodies in the folder of a run.
    package init(folder: String) {
        let bodies = "\(folder)/\(RunFileNames.bodies)"
        for name in (try? FolderListing.names(in: bodies, limit: .max)) ?? [] {
            guard let dot = name.lastIndex(of: "."), !name.hasPrefix(".") else { continue }
            files[String(name[..<dot])] = "\(bodies)/\(name)"
        }
    }

    /// The path of the file with the body of the last response of a step, or of an element such as `main.items[3]`; `nil` if
    /// it is not kept.
    package func path(of step: String) -> String? { files[BodyName.stem(of: step)] }
}
