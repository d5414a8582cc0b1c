import FoundationEssentials

/// The public conformance suites, which are not part of the repository.
///
/// They are read from the folder that the environment variable `WAYBILL_CONFORMANCE` names. Otherwise it is
/// `../shared/conformance`, relative to the package, or, where that does not exist, `.build/conformance`, which
/// `Tests/Conformance/fetch.sh` makes.
package enum ConformanceSuite {
    /// The folder of a suite such as `json/test_parsing`; nil if it is missing.
    package static func folder(_ name: String) -> String? {
        let folder = root + "/" + name
        return FileManager.default.fileExists(atPath: folder) ? folder : nil
    }

    /// The sorted paths of the files in a folder and its subfolders whose names end with `ending`, relative to the
    /// folder.
    package static func files(in folder: String, ending: String) -> [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return paths.filter { $0.hasSuffix(ending) }.sorted()
    }

    /// The bytes of a file.
    package static func bytes(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    private static var root: String {
        if let path = ProcessInfo.processInfo.environment["WAYBILL_CONFORMANCE"] { return path }
        let package = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/")
        let shared = package + "/../shared/conformance"
        return FileManager.default.fileExists(atPath: shared) ? shared : package + "/.build/conformance"
    }
}
