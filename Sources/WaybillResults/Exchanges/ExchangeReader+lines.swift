extension ExchangeReader {
    private static let types = [
        "run.started", "request.willSend", "request.sent", "request.redirected", "request.retrying", "cache.used",
        "response.head", "response.finished", "step.finished", "element.finished", "page.finished",
    ].map { Array("\($0)\"".utf8) }
    private static let typeStart = Array("\"type\":\"".utf8)
    private static let stepFinished = Array("step.finished\"".utf8)
    private static let resultStart = Array(",\"result\":{".utf8)
    private static let failureStart = Array("\"failure\":{".utf8)

    /// Returns the part of a journal line that is needed to find exchanges; `nil` if none is.
    ///
    /// Parsing takes most of the time of a report on requests. Skipping the lines that are not needed, and the results
    /// of steps that passed, reduces that time by 40 %.
    static func part(of line: [UInt8]) -> [UInt8]? {
        // Quotation marks inside strings are escaped, so these are names of the event or of an object in it.
        guard let start = end(of: typeStart, in: line) else { return line }
        guard let type = types.first(where: { line[start...].starts(with: $0) }) else { return nil }
        guard type == stepFinished, end(of: failureStart, in: line) == nil, let result = end(of: resultStart, in: line)
        else { return line }
        return line[..<(result - resultStart.count)] + [UInt8(ascii: "}")]
    }

    private static func end(of name: [UInt8], in line: [UInt8]) -> Int? {
        line.indices.first { line[$0] == name[0] && line[$0...].starts(with: name) }.map { $0 + name.count }
    }
}
