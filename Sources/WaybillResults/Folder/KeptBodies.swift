import WaybillRuntime

/// The bodies of responses that are kept in a run's folder.
package struct KeptBodies: Sendable {
    /// The paths of the files, by file name without the extension.
    private var files: [String: String] = [:]

    /// Lists the bodies in a run's folder.
    package init(folder: String) {
        let bodies = "\(folder)/\(RunFileNames.bodies)"
        for name in (try? FolderListing.names(in: bodies, limit: .max)) ?? [] {
            guard let dot = name.lastIndex(of: "."), !name.hasPrefix(".") else { continue }
            files[String(name[..<dot])] = "\(bodies)/\(name)"
        }
    }

    /// Returns the path of the file with the body of the last response of a step, or of an element such as
    /// `main.items[3]`; `nil` if it was not kept.
    package func path(of step: String) -> String? { files[BodyName.stem(of: step)] }
}
