import WaybillExpressions
import WaybillFormats
import WaybillPlatform
import WaybillRuntime

/// The environment of expressions outside manifests: the time, UUIDs, and files, which are relative to the current
/// folder.
struct ProcessEnvironment: EvaluationEnvironment {
    /// The maximum size of a file that an expression may read, in bytes: that of the longest string it may make.
    private static let maximumFileBytes = 256 << 20

    private let moment = Timestamp.now()
    private let identifier = RandomUUID.make()

    func now() -> Timestamp { moment }

    func uuid() -> String { identifier }

    func contents(ofFile path: String) throws(EvaluationError) -> [UInt8] {
        do {
            return try FileContents.read(path, limit: Self.maximumFileBytes)
        } catch {
            throw EvaluationError(.value, Self.reason(error))
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
        case .noWriter: "is a pipe that no process writes to"
        case .shared, .other: "fails: \(error.message)"
        }
    }
}

/// The environment variables of the process.
package enum ProcessVariables {
    /// Every variable by its name.
    package static var all: [String: String] { unsafe entries { unsafe String(cString: $0) } }

    /// The names of the variables whose value is not UTF-8. In `all`, it has U+FFFD for what is not.
    package static var namesBeyondUTF8: Set<String> {
        let valid = unsafe entries { unsafe String(validatingCString: $0) }
        return Set(all.keys.filter { valid[$0] == nil })
    }

    private static func entries(_ text: (UnsafePointer<CChar>) -> String?) -> [String: String] {
        var variables: [String: String] = [:]
        var entry = unsafe environ
        while let bytes = unsafe entry.pointee {
            if let pair = unsafe text(bytes), let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) {
                variables[String(pair[..<equals])] = String(pair[pair.utf8.index(after: equals)...])
            }
            unsafe entry += 1
        }
        return variables
    }
}
