package import WaybillDiagnostics

/// The reason why a run could not be executed or recorded, such as a results folder that could not be created or a
/// secret without a value.
public struct RunError: Error, Sendable {
    /// The reason, in a sentence without a full stop.
    public let message: String
    /// Diagnostics with locations in the manifest, such as that of a secret without a value. If there are any, the input is
    /// invalid, and no run has started.
    package var manifestDiagnostics: [Diagnostic] = []

    /// Creates an error.
    package init(message: String, manifestDiagnostics: [Diagnostic] = []) {
        self.message = message
        self.manifestDiagnostics = manifestDiagnostics
    }

    /// Returns the result of a function. Any other error that it throws becomes a `RunError` with its description.
    package static func mapping<Value>(_ work: () throws -> Value) throws(RunError) -> Value {
        do {
            return try work()
        } catch let error as RunError {
            throw error
        } catch {
            throw RunError(message: "\(error)")
        }
    }
}

extension RunError: CustomStringConvertible {
    /// The message, and the diagnostics with source lines.
    public var description: String {
        manifestDiagnostics.isEmpty ? message : "\(message)\n\(HumanRenderer().document(for: manifestDiagnostics))"
    }
}
