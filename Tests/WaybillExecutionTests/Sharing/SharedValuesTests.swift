import Synchronization
import Testing
import WaybillDiagnostics
import WaybillManifest

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct SharedValuesTests {
    private let values = SharedValues<String, Int>()
    private let problem = EvaluationFailure(
        message: "no",
        span: SourceSpan(file: SourceFile(name: "a", bytes: []), range: 0..<0)
    )

    @Test func `one value is fetched for all simultaneous callers, and kept`() async throws {
        let gets = Gets()
        let got = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let answer = await values.value(of: "a") { _ in
                        await until { values.waitingCount(of: "a") == 50 }
                        return .success(gets.next())
                    }
                    return try answer?.get().value
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(got == Array(repeating: 1, count: 50))
        let kept = await values.value(of: "a") { _ in .failure(problem) }
        #expect(try kept?.get().value == 1)
    }

    @Test func `a value that many callers refuse is fetched again once, based on the previous one`() async throws {
        let first = try #require(await values.value(of: "a") { _ in .success(1) }).get()
        #expect((0..<50).count { _ in values.refuse(first, of: "a") } == 1)
        let second = try #require(await values.value(of: "a") { .success(($0 ?? 0) + 10) }).get()
        #expect(second.value == 11)
        // Refusing an old value does not affect the current one.
        #expect(!values.refuse(first, of: "a"))
        #expect(try await values.value(of: "a") { _ in .failure(problem) }?.get().value == 11)
    }

    @Test func `a value that is no longer good is fetched again`() async throws {
        _ = await values.value(of: "a") { _ in .success(1) }
        let second = await values.value(of: "a", isGood: { $0 > 1 }, get: { .success(($0 ?? 0) + 1) })
        #expect(try second?.get().value == 2)
    }

    @Test func `a failure is reported, and the next caller tries again`() async throws {
        let failed = await values.value(of: "a") { _ in .failure(problem) }
        #expect(throws: EvaluationFailure.self) { try failed?.get() }
        #expect(try await values.value(of: "a") { _ in .success(2) }?.get().value == 2)
    }

    @Test func `keys are independent of each other`() async throws {
        #expect(try await values.value(of: "a") { _ in .success(1) }?.get().value == 1)
        #expect(try await values.value(of: "b") { _ in .success(2) }?.get().value == 2)
    }

    @Test func `a cancelled caller returns at once, and the others receive the value`() async throws {
        let (begun, ready) = (Gate(for: 2), Gate(for: 2))
        let impatient = Task {
            await values.value(of: "a") { _ in
                await begun.pass()
                await ready.pass()
                return .success(Task.isCancelled ? 0 : 1)
            }
        }
        await begun.pass()
        let patient = Task { await values.value(of: "a") { _ in .success(2) } }
        await until { values.waitingCount(of: "a") == 2 }
        impatient.cancel()
        #expect(await impatient.value == nil)
        await ready.pass()
        #expect(try await patient.value?.get().value == 1)
    }

    @Test func `a fetch that no caller waits for any longer is cancelled, and no caller joins it`() async throws {
        let (begun, late) = (Gate(for: 2), Gate(for: 2))
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let only = Task {
            await values.value(of: "a") { _ in
                await begun.pass()
                await untilCancelled()
                await late.pass()
                end.yield()
                return .success(1)
            }
        }
        await begun.pass()
        only.cancel()
        #expect(await only.value == nil)
        #expect(try await values.value(of: "a") { .success(($0 ?? 0) + 2) }?.get().value == 2)
        // Its late result does not replace the newer value.
        await late.pass()
        await ends.first { _ in true }
        #expect(try await values.value(of: "a") { _ in .failure(problem) }?.get().value == 2)
    }
}

/// A counter.
private final class Gets: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
