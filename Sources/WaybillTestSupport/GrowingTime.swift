/// Does something within a time that passes, such as a timeout: first a short one. Where a loaded machine has not come by then
/// as far as the test wants, it is done again with ten times the time, and once more.
///
/// - Returns: the result that is good, or the last one.
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
