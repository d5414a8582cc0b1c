import FoundationEssentials

/// Files of other tools from public repositories, which are not part of the repository.
///
/// They are read from the folder that the environment variable `WAYBILL_SAMPLES` names. Otherwise it is `samples` beside
/// the folder of the conformance suites, if `WAYBILL_CONFORMANCE` names that, or `../shared/samples`, relative to the
/// package.
package enum SampleFolder {
    /// The folder of a kind such as `curl`; nil if it is missing.
    package static func named(_ name: String) -> String? {
        let folder = root + "/" + name
        return FileManager.default.fileExists(atPath: folder) ? folder : nil
    }

    private static var root: String {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["WAYBILL_SAMPLES"] { return path }
        if let path = environment["WAYBILL_CONFORMANCE"] { return path + "/../samples" }
        let package = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/")
        return package + "/../shared/samples"
    }
}
