import WaybillFormats
import WaybillResults

/// The words for transfers of files: how far they are, and what was stored.
enum TransferText {
    /// `↓ 44 %, 12.0 MB of 26.7 MB`; `↑` while the request is sent.
    static func progress(_ progress: RunEvent.Progress) -> String {
        let isSending = progress.received == 0 && progress.sent > 0
        let (mark, done, total) =
            isSending
            ? ("↑", progress.sent, progress.sentTotal) : ("↓", progress.received, progress.receivedTotal)
        guard let total, total > 0, done <= total else { return "\(mark) \(size(done))" }
        let percent = Int(Double(done) / Double(total) * 100)
        return "\(mark) \(percent) %, \(size(done)) of \(size(total))"
    }

    /// `↓ files/a.zip, 26.7 MB, resumed`
    static func file(_ file: RunEvent.DownloadedFile) -> String {
        let more = file.isKept ? ", kept" : file.isResumed ? ", resumed" : ""
        return "↓ \(file.path), \(size(file.bytes))\(more)"
    }

    /// `→ shop.sqlite, table orders: 64 records, 12.0 kB`
    static func file(_ file: RunEvent.WrittenFile) -> String {
        let table = file.table.map { ", table \($0)" } ?? ""
        let records = file.records == 1 ? "1 record" : "\(file.records) records"
        return "→ \(file.path)\(table): \(records), \(size(file.bytes))"
    }

    /// A number of bytes, to a tenth of a unit.
    static func size(_ bytes: Int) -> String {
        if bytes < 1000 { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        var (value, unit) = (Double(bytes) / 1000, "kB")
        for larger in ["MB", "GB", "TB"] where value >= 999.95 { (value, unit) = (value / 1000, larger) }
        return "\((value * 10).rounded() / 10) \(unit)"
    }
}

/// When a line about a transfer is due: every five seconds, so that short ones have none.
struct ProgressLines {
    private static let interval: Int64 = 5_000_000_000

    private var times: [String: Timestamp] = [:]

    /// Whether a line about a step's transfer is due.
    mutating func isDue(for step: String, at time: Timestamp) -> Bool {
        guard let last = times[step] else {
            times[step] = time
            return false
        }
        guard time.nanoseconds - last.nanoseconds >= Self.interval else { return false }
        times[step] = time
        return true
    }

    /// Forgets a step that has finished.
    mutating func forget(_ step: String) { times[step] = nil }
}
