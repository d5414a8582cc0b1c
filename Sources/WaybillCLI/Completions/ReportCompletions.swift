import WaybillResults

/// Completes the values of `--report`.
package enum ReportCompletions {
    /// Returns `NAME=` for each format of reports, and the name of the annotations; after `NAME=`, files. Only the last
    /// of several reports, which commas separate, is completed.
    package static func requests(_ prefix: String) -> [String] {
        if let comma = prefix.lastIndex(of: ",") {
            return requests(String(prefix[comma...].dropFirst())).map { prefix[...comma] + $0 }
        }
        guard let equals = prefix.firstIndex(of: "=") else {
            return Candidates.matching(prefix, in: RunReports.all.map { "\($0.name)=" } + ["github"])
        }
        let name = prefix[...equals]
        return PathCompletions.paths(String(prefix.dropFirst(name.count))).map { name + $0 }
    }
}
