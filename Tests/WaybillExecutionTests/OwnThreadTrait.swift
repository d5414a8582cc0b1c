import Testing
import WaybillTestSupport

/// Runs each test of a suite on a thread of its own.
struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThread()) { try await function() }
    }
}

extension Trait where Self == OwnThreadTrait {
    /// Runs each test of a suite on a thread of its own, because it yields often.
    static var ownThread: Self { OwnThreadTrait() }
}
