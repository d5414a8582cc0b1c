/// Receives a report piece by piece and passes it on in large pieces, so that the whole report is never in memory.
///
/// The first error is kept, and nothing more is passed on, so that formats need no error handling.
package struct ReportStream: ~Copyable {
    /// Receives a piece of the report.
    package typealias Output = ([UInt8]) throws(ResultsError) -> Void

    private static let pieceSize = 256 * 1024

    /// The folder that the report is written to, for relative links to other files; `nil` for standard output.
    let folder: String?
    private let output: Output
    private var held: [UInt8] = []
    private var error: ResultsError?

    /// Creates a stream that passes its pieces to a function.
    package init(folder: String? = nil, _ output: @escaping Output) {
        self.folder = folder
        self.output = output
    }

    /// Adds a string.
    package mutating func write(_ text: String) {
        held.append(contentsOf: text.utf8)
        if held.count >= Self.pieceSize { passOn() }
    }

    /// Adds bytes, which must be UTF-8.
    package mutating func write(_ bytes: [UInt8]) {
        held.append(contentsOf: bytes)
        if held.count >= Self.pieceSize { passOn() }
    }

    /// Passes on the rest.
    package mutating func finish() throws(ResultsError) {
        passOn()
        if let error { throw error }
    }

    private mutating func passOn() {
        defer { held.removeAll(keepingCapacity: true) }
        guard error == nil, !held.isEmpty else { return }
        do throws(ResultsError) {
            try output(held)
        } catch {
            self.error = error
        }
    }
}
