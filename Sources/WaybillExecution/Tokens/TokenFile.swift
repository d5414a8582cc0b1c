import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// A file that keeps tokens between runs (`store`). Only its owner can read it.
///
/// It is locked while tokens are renewed: a process that waits for the lock then finds the new ones. New tokens are on
/// the disk before they are used, so that a killed process leaves either the old ones or the new ones.
struct TokenFile: Sendable {
    /// The tokens of one owner.
    struct Tokens: Sendable {
        var access: String?
        /// When the access token expires; `nil` if it does not.
        var expiresAt: Timestamp?
        var refresh: String?

        /// The access token, if it is valid for some time.
        func valid(at now: Timestamp) -> String? {
            expiresAt.map { now.duration(to: $0) > .zero } ?? true ? access : nil
        }
    }

    /// How long a process waits for another one that renews tokens.
    private static let longestWait = Duration.seconds(60)
    private static let maximumBytes = 1 << 20
    private static let format = JSON.number(JSONNumber(1))

    private let file: LocalFile
    /// What the tokens belong to, by member: the token endpoint, the client, the scope and the like. Those of another owner
    /// are never used.
    private let owner: [(name: String, value: String)]
    private let clock: any RunClock

    init(_ file: LocalFile, owner: [(name: String, value: String)], clock: any RunClock) {
        (self.file, self.owner, self.clock) = (file, owner, clock)
    }

    var path: String { file.path }

    /// Returns the tokens of the owner; `nil` if there are none.
    func tokens() async throws(TokenError) -> Tokens? {
        let entry = try await blocking { () throws(TokenError) in try entries().first(where: isOwn) }
        guard let entry else { return nil }
        return Tokens(
            access: entry["accessToken"]?.string,
            expiresAt: entry["expiresAt"]?.string.flatMap(Timestamp.init(rfc3339:)),
            refresh: entry["refreshToken"]?.string
        )
    }

    /// Replaces the tokens of the owner, or removes them. The file must be locked.
    func store(_ tokens: Tokens?) async throws(TokenError) {
        try await blocking { () throws(TokenError) in
            var entries = try entries().filter { !isOwn($0) }
            if let tokens {
                var entry = JSONObject(owner.map { ($0.name, .string($0.value)) })
                entry["accessToken"] = tokens.access.map(JSON.string)
                entry["expiresAt"] = tokens.expiresAt.map { .string($0.description) }
                entry["refreshToken"] = tokens.refresh.map(JSON.string)
                entries.append(.object(entry))
            }
            let content = JSON.object(JSONObject([("format", Self.format), ("tokens", .array(entries))]))
            var bytes: [UInt8] = []
            JSONWriter(layout: .pretty).write(content, to: &bytes)
            do throws(SystemError) {
                try FileContent.replace(FileContents.target(of: path), with: bytes + [UInt8(ascii: "\n")])
            } catch {
                throw TokenError(kind: .output, message: "could not write the tokens to '\(path)': \(error)")
            }
        }
    }

    /// Waits until no other process has the lock, and takes it, until the lock is released.
    func lock() async throws(TokenError) -> FileLock {
        let end = clock.now + Self.longestWait
        while true {
            let lock = await BlockingCall.run { [target = FileContents.target(of: path)] in
                Result { () throws(SystemError) in try FileLock(waitingFor: target, atMost: .zero) }
            }
            switch lock {
            case .success(let lock)?: return lock
            case .failure(let error)? where !error.isOfHeldLock || clock.now >= end:
                throw TokenError(kind: .output, message: "could not lock the tokens in '\(path)': \(error)")
            default:
                guard (try? await clock.sleep(for: .milliseconds(50))) != nil else {
                    throw TokenError(kind: .cancelled, message: "the request was cancelled")
                }
            }
        }
    }

    private func isOwn(_ entry: JSON) -> Bool {
        let names = ["accessToken", "expiresAt", "refreshToken"]
        return (entry.object?.count { !names.contains($0.name) } ?? 0) == owner.count
            && owner.allSatisfy { entry[$0.name]?.string?.hasSameCodePoints(as: $0.value) ?? false }
    }

    private func entries() throws(TokenError) -> [JSON] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try file.read(limit: Self.maximumBytes, isPrivate: true)
        } catch {
            if error.reason == .notFound { return [] }
            throw TokenError(kind: .input, message: "the tokens in '\(path)' cannot be read: \(error.message)")
        }
        guard let content = try? JSONParser.ownFiles.parse(bytes), content["format"] == Self.format,
            let entries = content["tokens"]?.array
        else { throw TokenError(kind: .input, message: "'\(path)' is not a file of tokens") }
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
