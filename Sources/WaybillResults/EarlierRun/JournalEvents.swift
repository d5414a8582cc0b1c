import WaybillJSON

/// The events in the journal of a run, which are read from the file piece by piece.
package final class JournalEvents {
    private static let pieceSize = 1 << 20

    private let file: InputFile
    private var reader: JournalReader
    /// The start of a line whose end was not read yet.
    private var rest: [UInt8] = []
    private var events: ArraySlice<RunEvent> = []
    private var failure: ResultsError?

    /// Opens the journal in the folder of a run.
    package init(folder: String) throws(ResultsError) {
        let path = "\(folder)/\(FolderContents.journal)"
        file = try InputFile(path)
        reader = JournalReader(path)
    }

    /// Returns the next event; `nil` after the last one. Events of later versions are left out, and so is an incomplete
    /// line at the end, which a killed run may leave.
    ///
    /// - Throws: An error at the first damaged line.
    package func next() throws(ResultsError) -> RunEvent? {
        while events.isEmpty {
            if let failure { throw failure }
            let piece = try file.next(Self.pieceSize)
            if piece.isEmpty { return nil }
            guard let end = piece.lastIndex(of: UInt8(ascii: "\n")) else {
                rest += piece
                continue
            }
            do throws(ResultsError) {
                try reader.read(rest + piece[...end]) { json in
                    if let event = RunEvent(json: json) { events.append(event) }
                }
            } catch {
                // The events before the damage come first.
                failure = error
            }
            rest = Array(piece[(end + 1)...])
        }
        return events.popFirst()
    }
}
