import WaybillData
import WaybillResults

/// What the expressions of one attempt may ask of the world: a moment and an identifier that stay the same, and files.
final class AttemptEnvironment: EvaluationEnvironment {
    /// The largest file that an expression may read, in bytes.
    private static let maximumFileBytes = 16 << 20

    private let moment = Timestamp.now()
    private let instance: String
    private let run: RunContext

    /// The environment of an attempt that begins now, in the step at a path. `uuid()` follows from the run and the path,
    /// so that it stays the same when the step is tried again or the run is resumed.
    init(run: RunContext, path: String) {
        instance = path
        self.run = run
    }

    func now() -> Timestamp { moment }

    func uuid() -> String { RandomUUID.make(from: "\(run.id) \(instance)") }

    func contents(ofFile path: String) throws(FileUnavailable) -> [UInt8] {
        let folder = run.manifestFolder
        let whole = path.hasPrefix("/") ? path : "\(folder)/\(path)"
        guard let canonical = FileContents.canonicalPath(whole), let root = FileContents.canonicalPath(folder) else {
            throw FileUnavailable(reason: "does not exist")
        }
        guard canonical.hasPrefix(root == "/" ? "/" : root + "/") else {
            throw FileUnavailable(reason: "lies outside the folder of the manifest")
        }
        do {
            return try FileContents.read(canonical, limit: Self.maximumFileBytes)
        } catch {
            throw FileUnavailable(reason: "cannot be read: \(error.message)")
        }
    }
}
