import WaybillExpressions
import WaybillFormats
import WaybillRuntime

/// What an expression may ask of the world where no manifest bounds it: files are relative to the current folder.
struct ProcessEnvironment: EvaluationEnvironment {
    /// The largest file that an expression may read, in bytes: that of the longest text it may make.
    private static let maximumFileBytes = 256 << 20

    private let moment = Timestamp.now()
    private let identifier = RandomUUID.make()

    func now() -> Timestamp { moment }

    func uuid() -> String { identifier }

    func contents(ofFile path: String) throws(FileUnavailable) -> [UInt8] {
        do {
            return try FileContents.read(path, limit: Self.maximumFileBytes)
        } catch {
            throw FileUnavailable(reason: Self.reason(error))
        }
    }

    private static func reason(_ error: FileError) -> String {
        switch error.reason {
        case .notFound: "does not exist"
        case .isFolder: "is a folder"
        case .denied: "may not be read"
        case .tooLarge(let limit): "has more than \(limit) bytes"
        case .outside: "is outside the folder of the manifest"
        case .notRegular: "is not a regular file"
        case .other: "fails: \(error.message)"
        }
    }
}
