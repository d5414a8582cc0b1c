import WaybillData

/// What the expressions of one attempt may ask of the world: a moment and an identifier that stay the same, and files.
struct AttemptEnvironment: EvaluationEnvironment {
    /// The largest file that an expression may read, in bytes.
    private static let maximumFileBytes = 16 << 20

    private let moment: Timestamp
    private let identifier: String
    private let folder: String

    /// The environment of an attempt that begins now, in a run of a manifest in a folder.
    init(folder: String) {
        self.moment = .now()
        self.identifier = Self.randomUUID()
        self.folder = folder
    }

    func now() -> Timestamp { moment }

    func uuid() -> String { identifier }

    func contents(ofFile path: String) throws(FileUnavailable) -> [UInt8] {
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

    /// A random UUID (RFC 9562, section 5.4).
    private static func randomUUID() -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef")
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append("-") }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }
}
