package import WaybillDiagnostics
import WaybillJSON
package import WaybillPlan
import WaybillResults
import WaybillRuntime

/// Where the states of a manifest's graphs are stored, unless a run is given a file: under the name that the manifest
/// states, or else under its path. The file names the manifest, and no other one can use it, unless it is given the file.
package struct StateLocation: Sendable {
    /// The file.
    let path: String
    /// The path of the manifest relative to the current folder, where `waybill-results` is; absolute if it is outside of
    /// it.
    let manifest: String
    /// Whether the user named the file.
    let isGiven: Bool

    /// The location for a manifest.
    ///
    /// - Parameters:
    ///   - name: The name that the manifest states.
    ///   - file: The path of the manifest.
    ///   - given: The file that the user named.
    init(name: String?, file: String, environment: String?, given: String?) {
        manifest = Self.relative(file)
        path = given ?? StateFile.path(in: RunFolders.usual, name: name ?? manifest, environment: environment)
        isGiven = given != nil
    }

    /// The location for a plan's manifest.
    init(of plan: Plan, given: String? = nil) {
        let name = plan.hasName ? plan.name : nil
        self.init(name: name, file: plan.manifest, environment: plan.environment, given: given)
    }

    /// Throws if the file has the states of another manifest, and was not given.
    func check(_ content: StateFile.Content) throws(RunError) {
        guard !isGiven, let owner = content.manifest, !owner.hasSameCodePoints(as: manifest) else { return }
        throw RunError(
            .unusableState,
            "'\(path)' is the state of '\(owner)', not of '\(manifest)': give one of the manifests another 'name'",
            command: "; if the manifest was moved, run it once with '--state \(PrintableText.shellWord(path))'"
        )
    }

    /// Returns the file for the states of a plan; `nil` if it has or stores none.
    ///
    /// - Parameters:
    ///   - given: The file that the run is given.
    ///   - hasUsualFile: Whether a run without such a file uses the one of its manifest.
    package static func file(of plan: Plan, _ given: String?, hasUsualFile: Bool) -> String? {
        guard plan.graphs.contains(where: { !$0.state.isEmpty }) else { return nil }
        return given ?? (hasUsualFile ? StateLocation(of: plan).path : nil)
    }

    /// Returns an error for each plan whose states would be stored in the file of an earlier one.
    package static func shared(by plans: [Plan]) -> [Diagnostic] {
        var owners: [CodePoints: String] = [:]
        return plans.compactMap { plan in
            guard plan.graphs.contains(where: { !$0.state.isEmpty }) else { return nil }
            let path = StateLocation(of: plan).path
            guard let owner = owners.updateValue(plan.manifest, forKey: CodePoints(path)) else { return nil }
            return Diagnostic(
                "shared-state",
                "'\(owner)' and '\(plan.manifest)' would store their state in the same file, '\(path)'",
                at: nil,
                help: ["Give each of the manifests its own 'name'."]
            )
        }
    }

    /// The path of a file relative to the current folder; absolute for one outside of it.
    private static func relative(_ file: String) -> String {
        guard let path = FileContents.canonicalPath(file), let folder = FileContents.canonicalPath(".") else {
            return file
        }
        let prefix = folder == "/" ? folder : folder + "/"
        return path.utf8.starts(with: prefix.utf8)
            ? String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : path
    }
}
