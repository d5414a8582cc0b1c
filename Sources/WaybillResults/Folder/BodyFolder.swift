import Synchronization

/// The folder for bodies of failed responses. Its size is limited, so that a service that fails for a million elements
/// does not fill the disk with its error pages.
final class BodyFolder: Sendable {
    private struct State {
        /// The disk space that the bodies take, in bytes; `nil` before the first is kept.
        var space: Int?
        var isFull = false
    }

    /// The size of a disk block. A file takes at least one block, and the whole of its last one.
    private static let blockBytes = 4096

    private let path: String
    private let limit: Int
    private let model: String?
    private let state = Mutex(State())

    /// Creates the object. The folder itself is created when the first body is kept.
    ///
    /// - Parameter model: A file whose permissions the bodies get.
    init(_ path: String, limit: Int, like model: String? = nil) {
        self.path = path
        self.limit = limit
        self.model = model
    }

    /// Writes a body to the file with a name, replacing an earlier one, unless there is no space for it. May take long.
    func keep(_ bytes: [UInt8], as name: String) throws(ResultsError) -> RunFolder.KeptBody {
        let file = "\(path)/\(name)"
        let space = state.withLock(\.space) ?? FolderContents.sizes(in: path).reduce(0) { $0 + Self.space(of: $1) }
        let earlier = FolderContents.size(of: file).map(Self.space) ?? 0
        let total = space - earlier + Self.space(of: bytes.count)
        guard total <= limit else {
            let isFirst = state.withLock { state in
                state.space = space
                defer { state.isFull = true }
                return !state.isFull
            }
            return .noRoom(isFirst: isFirst)
        }
        try FolderContents.make(path)
        try OutputFile.replace(file, with: bytes, like: model)
        state.withLock { $0.space = total }
        return .kept("\(FolderContents.bodies)/\(name)")
    }

    private static func space(of size: Int) -> Int { max(1, (size + blockBytes - 1) / blockBytes) * blockBytes }
}
