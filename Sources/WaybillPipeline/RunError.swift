package import WaybillDiagnostics
import WaybillResults

/// The reason why a run could not be executed or recorded, such as a results folder that could not be created or a
/// secret without a value.
public struct RunError: Error, Sendable {
    /// What the reason is about. Later versions may add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code, which never changes its meaning.
        public let rawValue: String

        /// A code with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The manifest has errors, or parts of it that have already run were changed. Nothing was sent.
        public static let invalidManifest = Code(rawValue: "invalid-manifest")
        /// A secret has no value, or one that is too long. Nothing was sent.
        public static let missingSecret = Code(rawValue: "missing-secret")
        /// The source of secrets threw an error. Nothing was sent.
        public static let secretSource = Code(rawValue: "secret-source")
        /// A user must log in before the run, with `waybill login`. Nothing was sent.
        public static let loginRequired = Code(rawValue: "login-required")
        /// The run was stopped or cancelled before it could start. Nothing was sent.
        public static let stopped = Code(rawValue: "stopped")
        /// No step has the path that was given.
        public static let unknownStep = Code(rawValue: "unknown-step")
        /// No step calls the endpoint with the name that was given.
        public static let unknownEndpoint = Code(rawValue: "unknown-endpoint")
        /// The run writes files, but it has no folder for its results. Nothing was sent.
        public static let missingFolder = Code(rawValue: "missing-folder")
        /// A file of the run would replace another one, or cannot be written. Nothing was sent.
        public static let fileConflict = Code(rawValue: "file-conflict")
        /// The folder of the results or a file in it could not be written.
        public static let unwritableResults = Code(rawValue: "unwritable-results")
        /// The states of the graphs cannot be read or stored, or another run is using them.
        public static let unusableState = Code(rawValue: "unusable-state")
        /// What sends the requests, or the mock server, could not be started. Nothing was sent.
        public static let transport = Code(rawValue: "transport")
        /// The run is still running.
        public static let runInProgress = Code(rawValue: "run-in-progress")
        /// The folder does not contain a run, or its journal is damaged.
        public static let unreadableRun = Code(rawValue: "unreadable-run")
        /// The run cannot be resumed without repeating requests that must not be sent twice. Nothing was sent.
        public static let unsafeRepetition = Code(rawValue: "unsafe-repetition")
        /// The runs are not all shards of one run, or cannot be combined.
        public static let shards = Code(rawValue: "shards")
    }

    /// What the reason is about.
    public let code: Code
    /// The reason, in a sentence without a full stop.
    public let message: String
    /// Diagnostics with locations in the manifest, such as that of a secret without a value. If there are any, the input is
    /// invalid, and no run has started.
    package let manifestDiagnostics: [Diagnostic]
    private let command: String

    /// Creates an error.
    ///
    /// - Parameter command: The rest of the sentence for people who use the command line, such as the options to use.
    package init(_ code: Code, _ message: String, _ diagnostics: [Diagnostic] = [], command: String = "") {
        self.code = code
        self.message = message
        self.command = command
        manifestDiagnostics = diagnostics
    }

    /// The message for people who use the command line.
    package var commandMessage: String { message + command }

    /// Returns the result of a function. Any other error that it throws becomes a `RunError` with its description.
    package static func mapping<Value>(to code: Code, _ work: () throws -> Value) throws(RunError) -> Value {
        do {
            return try work()
        } catch let error as RunError {
            throw error
        } catch let error as ResultsError {
            throw RunError(code, error.message, command: error.command)
        } catch {
            throw RunError(code, "\(error)")
        }
    }
}

extension RunError.Code: CustomStringConvertible {
    /// The name of the code.
    public var description: String { rawValue }
}
