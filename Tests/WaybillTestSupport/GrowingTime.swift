/// Runs something that depends on a time, such as a timeout: first with a short one. If a loaded machine has not got
/// far enough by then, runs it again with ten times and finally with a hundred times the time.
///
/// - Returns: The first good result, or the last one.
package func withGrowingTime<Result>(
    from first: Duration = .milliseconds(300),
    _ body: (Duration) async throws -> Result,
    until isGood: (Result) -> Bool
) async rethrows -> Result {
    for time in [first, first * 10] {
        let result = try await body(time)
        if isGood(result) { return result }
    }
    return try await body(first * 100)
}
