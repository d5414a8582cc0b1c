import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// A file that keeps tokens between runs (`store`). Only its owner can read it.
///
/// It is locked while tokens are renewed: a process that waits for the lock then finds the new ones. New tokens are on
/// the disk before they are used, so that a killed process leaves either the old ones or the new ones. The file is replaced
/// as a whole, so that it can be read without the lock.
struct TokenFile: Sendable {
    /// The tokens of one owner.
    struct Tokens: Sendable {
        var access: String?
        /// When a new access token is needed, shortly before this one expires; `nil` if it does not.
        var renewsAt: Timestamp?
        var refresh: String?

        /// Whether a run can use them.
        var areUsable: Bool { refresh != nil || valid(at: .now()) != nil }

        /// The access token, if no new one is needed.
        func valid(at now: Timestamp) -> String? {
            renewsAt.map { now.duration(to: $0) > .zero } ?? true ? access : nil
        }
    }

    /// The locked file while tokens are renewed. What replaces it is created before a server is asked for tokens: its answer
    /// may be their only copy.
    struct Renewal: Sendable {
        /// The tokens of the owner; `nil` if there are none.
        let tokens: Tokens?
        fileprivate let others: [JSON]
        fileprivate let draft: FileDraft
        fileprivate let lock: FileLock
    }

    /// How long a process waits for another one that renews tokens.
    private static let longestWait = Duration.seconds(60)
    private static let maximumBytes = 1 << 20
    /// The room on the disk that is reserved for new tokens.
    private static let room = 64 << 10
    private static let format = JSON.number(JSONNumber(1))

    private let file: LocalFile
    /// What the tokens belong to, by member: the token endpoint, the client, the scope and the like. Those of another owner
    /// are never used.
    private let owner: [(name: String, value: String)]
    private let clock: any RunClock
    private let notice: LockNotice

    init(_ file: LocalFile, owner: [(name: String, value: String)], clock: any RunClock, notice: LockNotice) {
        (self.file, self.owner, self.clock, self.notice) = (file, owner, clock, notice)
    }

    var path: String { file.path }

    /// Returns the tokens of the owner; `nil` if there are none.
    func tokens() async throws(TokenError) -> Tokens? {
        try await blocking { () throws(TokenError) in tokens(in: try entries(of: file)) }
    }

    private func tokens(in entries: [JSON]) -> Tokens? {
        guard let entry = entries.first(where: isOwn) else { return nil }
        return Tokens(
            access: entry["accessToken"]?.string,
            renewsAt: entry["renewsAt"]?.string.flatMap(Timestamp.init(rfc3339:)),
            refresh: entry["refreshToken"]?.string
        )
    }

    /// Waits until no other process renews tokens, and locks the file as long as the renewal exists.
    func renewal() async throws(TokenError) -> Renewal {
        let lock = try await lock()
        return try await blocking { () throws(TokenError) in
            let target = FileContents.target(of: path)
            // A process was killed after it had received tokens.
            TemporaryFile.withAbandoned(beside: target) { abandoned in
                let (new, old) = (try? FileStatus(of: abandoned), try? FileStatus(of: target))
                guard let new, old.map({ $0.modifiedAt <= new.modifiedAt }) ?? true,
                    (try? entries(of: LocalFile(abandoned))) != nil
                else { return }
                try? FileReplacement.move(abandoned, to: target)
            }
            let all = try entries(of: file)
            let draft = try writing { () throws(SystemError) in try FileDraft(of: target, room: Self.room) }
            return Renewal(tokens: tokens(in: all), others: all.filter { !isOwn($0) }, draft: draft, lock: lock)
        }
    }

    /// Replaces the tokens of the owner, or removes them.
    func store(_ tokens: Tokens?, in renewal: Renewal) async throws(TokenError) {
        try await blocking { () throws(TokenError) in
            var others = renewal.others
            if let tokens {
                var entry = JSONObject(owner.map { ($0.name, .string($0.value)) })
                entry["accessToken"] = tokens.access.map(JSON.string)
                entry["renewsAt"] = tokens.renewsAt.map { .string($0.description) }
                entry["refreshToken"] = tokens.refresh.map(JSON.string)
                others.append(.object(entry))
            }
            let content = JSON.object(JSONObject([("format", Self.format), ("tokens", .array(others))]))
            var bytes: [UInt8] = []
            JSONWriter(layout: .pretty).write(content, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
            try writing { [bytes] () throws(SystemError) in try renewal.draft.finish(with: bytes) }
        }
    }

    private func writing<Value>(_ work: () throws(SystemError) -> Value) throws(TokenError) -> Value {
        do throws(SystemError) {
            return try work()
        } catch {
            throw TokenError(kind: .output, message: "could not write the tokens to '\(path)': \(error)")
        }
    }

    private func lock() async throws(TokenError) -> FileLock {
        let start = clock.now
        while true {
            let lock = await BlockingCall.run { [target = FileContents.target(of: path)] in
                Result { () throws(SystemError) in try FileLock(waitingFor: target, atMost: .zero) }
            }
            switch lock {
            case .success(let lock)?: return lock
            case .failure(let error)? where !error.isOfHeldLock || clock.now - start >= Self.longestWait:
                throw TokenError(kind: .output, message: "could not lock the tokens in '\(path)': \(error)")
            default:
                notice.note(clock.now - start, for: path)
                guard (try? await clock.sleep(for: .milliseconds(50))) != nil else {
                    throw TokenError(kind: .cancelled, message: "the request was cancelled")
                }
            }
        }
    }

    private func isOwn(_ entry: JSON) -> Bool {
        // 'expiresAt' is of an earlier version.
        let names = ["accessToken", "renewsAt", "refreshToken", "expiresAt"]
        return (entry.object?.count { !names.contains($0.name) } ?? 0) == owner.count
            && owner.allSatisfy { entry[$0.name]?.string?.hasSameCodePoints(as: $0.value) ?? false }
    }

    private func entries(of file: LocalFile) throws(TokenError) -> [JSON] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try file.read(limit: Self.maximumBytes, isPrivate: true)
        } catch {
            if error.reason == .notFound { return [] }
            throw TokenError(kind: .input, message: "the tokens in '\(path)' cannot be read: \(error.message)")
        }
        guard let content = try? JSONParser.ownFiles.parse(bytes), content["format"] == Self.format,
            let entries = content["tokens"]?.array
        else {
            throw TokenError(kind: .input, message: "'\(path)' is not a file of tokens; delete it to start again")
        }
        return Array(entries)
    }

    private func blocking<Value: Sendable>(
        _ work: @escaping @Sendable () throws(TokenError) -> Value
    ) async throws(TokenError) -> Value {
        guard let result = await BlockingCall.run({ Result(catching: work) }) else {
            throw TokenError(kind: .output, message: "no thread could be started")
        }
        return try result.get()
    }
}
