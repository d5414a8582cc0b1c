package import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
package import WaybillPlan
import WaybillPlatform
import WaybillResults
import WaybillRuntime

/// Where the states of a manifest's graphs are stored, unless a run is given a file: under the name that the manifest
/// states, or else under its path. Two manifests with the same file name have different states.
package struct StatePlace: Sendable {
    /// The file.
    let path: String
    /// The file that earlier versions of the program used, if it was another one: it has the name of the manifest's file.
    private let earlier: String?
    private let file: String

    /// The place of a manifest.
    ///
    /// - Parameters:
    ///   - name: The name that the manifest states.
    ///   - file: The path of the manifest.
    init(name: String?, file: String, environment: String?) {
        func path(_ name: String) -> String {
            StateFile.path(in: RunFolders.usual, name: name, environment: environment)
        }
        self.file = file
        self.path = path(name ?? Self.relative(file))
        let fileName = FileContents.name(of: file)
        let stem = fileName.lastIndex(of: ".").map { String(fileName[..<$0]) } ?? fileName
        earlier = name == nil ? path(stem) : nil
    }

    /// The place of a plan's manifest.
    init(of plan: Plan) {
        self.init(name: plan.hasName ? plan.name : nil, file: plan.manifest, environment: plan.environment)
    }

    /// The file that has the states now: that of an earlier version, as long as no run has taken it over.
    var current: String {
        guard let earlier, access(path, F_OK) != 0, access(earlier, F_OK) == 0 else { return path }
        return earlier
    }

    /// Renames the file of an earlier version, and returns a warning that says so; `nil` if there is none.
    func takeOver() throws(ResultsError) -> Diagnostic? {
        guard let earlier, try StateFile.move(earlier, to: path) else { return nil }
        return Diagnostic(
            "state-moved",
            "the state in '\(earlier)' is now that of '\(file)', in '\(path)'",
            severity: .warning,
            at: nil,
            help: [
                "If it belongs to another manifest of that name, rename the file back, and give that manifest a 'name'."
            ]
        )
    }

    /// Returns the file for the states of a plan; `nil` if it has none, or stores none with the mock server.
    ///
    /// - Parameter given: The file that the run is given.
    package static func file(of plan: Plan, _ given: String?, usesMock: Bool) -> String? {
        guard plan.graphs.contains(where: { !$0.state.isEmpty }) else { return nil }
        return given ?? (usesMock ? nil : StatePlace(of: plan).path)
    }

    /// Returns an error for each plan whose states would be stored in the file of an earlier one.
    package static func shared(by plans: [Plan]) -> [Diagnostic] {
        var owners: [CodePoints: String] = [:]
        return plans.compactMap { plan in
            guard plan.graphs.contains(where: { !$0.state.isEmpty }) else { return nil }
            let path = StatePlace(of: plan).path
            guard let owner = owners.updateValue(plan.manifest, forKey: CodePoints(path)) else { return nil }
            return Diagnostic(
                "shared-state",
                "'\(owner)' and '\(plan.manifest)' would store their state in the same file, '\(path)'",
                at: nil,
                help: ["Give each of the manifests its own 'name'."]
            )
        }
    }

    /// The path of a file relative to the current folder, where `waybill-results` is; absolute for one outside of it.
    private static func relative(_ file: String) -> String {
        guard let path = FileContents.canonicalPath(file), let folder = FileContents.canonicalPath(".") else {
            return file
        }
        let prefix = folder == "/" ? folder : folder + "/"
        return path.utf8.starts(with: prefix.utf8)
            ? String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : path
    }
}
