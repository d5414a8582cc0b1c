package import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
package import WaybillPlan
import WaybillResults
import WaybillRuntime

/// Reads the secrets of a plan whose source is a file or a command.
package enum SecretReader {
    /// The value of every such secret with the mock server, for which nothing is read.
    package static let mockValue = "mock-secret"

    /// What determines the output of a command.
    private struct Command: Hashable {
        let arguments: [String]
        let folder: String
        let variables: [String: String]
        let timeout: Duration
    }

    /// The outputs of the commands of this process. Each command that passes is run once, for all runs.
    private static let outputs = SharedValues<Command, Result<String, SecretError>>()

    /// Reads the secrets that a plan uses and that are not known, at the same time.
    ///
    /// - Parameters:
    ///   - known: The known values, by the names of the secrets.
    ///   - variables: The environment variables of commands.
    /// - Returns: All values, and an error for each secret that could not be read. Commands are ended when the task is
    ///   cancelled.
    package static func values(
        of plan: Plan,
        known: [String: String] = [:],
        variables: [String: String],
        isMocked: Bool
    ) async -> (values: [String: String], errors: [Diagnostic]) {
        let unread = plan.secrets.filter { known[$0.name] == nil && $0.source.variable == nil }
        var values = known
        if isMocked || unread.isEmpty {
            for secret in unread { values[secret.name] = mockValue }
            return (values, [])
        }
        let folder = FileContents.folder(of: plan.manifest)
        let boundary = FolderBoundary(folder: folder, allowsOutside: plan.allowsOutside)
        let read = await withTaskGroup(of: (Int, Result<String, SecretError>).self) { group in
            for (index, secret) in unread.enumerated() {
                group.addTask { (index, await value(of: secret.source, in: folder, boundary, variables)) }
            }
            return await group.reduce(into: [Int: Result<String, SecretError>]()) { $0[$1.0] = $1.1 }
        }
        let redactor = Redactor()
        for case .success(let value) in read.values { redactor.register(value) }
        for value in known.values { redactor.register(value) }
        var errors: [Diagnostic] = []
        for (index, secret) in unread.enumerated() {
            switch read[index] {
            case .success(let value): values[secret.name] = value
            case .failure(let error):
                errors.report(
                    "secret-source",
                    "secret '\(secret.name)' has no value: \(secret.source.words) \(error.reason)",
                    at: secret.source.span,
                    help: error.message.map { redactor.redact($0) }
                )
            case nil: preconditionFailure("a secret was not read")
            }
        }
        return (values, errors)
    }

    private static func value(
        of secret: SecretDeclaration,
        in folder: String,
        _ boundary: FolderBoundary,
        _ variables: [String: String]
    ) async -> Result<String, SecretError> {
        switch secret.source {
        case .variable: preconditionFailure("environment variables are read elsewhere")
        case .file(let file):
            let local = file.file(within: boundary)
            let content = await BlockingCall.run {
                Result { () throws(FileError) in try local.read(limit: Redactor.longestSecret + 1) }
            }
            switch content {
            case .success(let bytes)?: return text(of: bytes)
            case .failure(let error)?: return .failure(SecretError("cannot be read: \(error.message)"))
            case nil: return .failure(SecretError("cannot be read: no thread could be started"))
            }
        case .command(let arguments, let timeout):
            let command = Command(arguments: arguments, folder: folder, variables: variables, timeout: timeout)
            let output = await outputs.value(of: command) { output in
                (try? output.get()) != nil
            } get: { _ in
                .success(await run(command))
            }
            guard case .success(let held)? = output else { return .failure(SecretError("was cancelled")) }
            return held.value
        }
    }

    private static func run(_ command: Command) async -> Result<String, SecretError> {
        let process = await ChildProcess(
            running: command.arguments,
            in: command.folder,
            variables: command.variables,
            timeout: command.timeout,
            outputLimit: Redactor.longestSecret + 1
        )
        let reason: String
        switch process.end {
        case .status(0): return text(of: process.output)
        case .status(let status) where status >= 0: reason = "failed with exit status \(status)"
        case .status: reason = "ended, but its exit status is not known"
        case .signal(let signal): reason = "was ended by signal \(signal)"
        case .timeout: reason = "did not end within \(command.timeout.timeText)"
        case .outputLimit: reason = "has more than \(Redactor.longestSecret) bytes of output"
        case .stopped: reason = "waited for the terminal, which it cannot use"
        case .cancelled: reason = "was cancelled"
        case .notStarted(.noSuchFile): reason = "was not found"
        case .notStarted(let error): reason = "could not be started: \(error)"
        }
        // It may have written a part of the secret to both streams.
        let redactor = Redactor()
        for line in lines(in: process.output.prefix(Redactor.longestSecret)) { redactor.register(line) }
        let message = lines(in: process.errors[...]).suffix(3).map { "It says: \(redactor.redact($0).excerpt(300))" }
        return .failure(SecretError(reason, message))
    }

    private static func lines(in bytes: ArraySlice<UInt8>) -> [String] {
        bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the string in some bytes, without one line feed at its end.
    private static func text(of bytes: [UInt8]) -> Result<String, SecretError> {
        let value = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        guard value.count <= Redactor.longestSecret else {
            return .failure(SecretError("has more than \(Redactor.longestSecret) bytes"))
        }
        guard let text = String(validating: value, as: UTF8.self) else {
            return .failure(SecretError("gives a value that is not valid UTF-8"))
        }
        return text.isEmpty ? .failure(SecretError("gives an empty value")) : .success(text)
    }
}

/// Why a secret could not be read.
private struct SecretError: Error {
    /// The reason, after the source of the secret.
    let reason: String
    /// The end of what a command wrote to its standard error, in lines.
    let message: [String]

    init(_ reason: String, _ message: [String] = []) {
        (self.reason, self.message) = (reason, message)
    }
}
