import WaybillResults

/// Describes file transfers: their progress, and the stored files.
enum TransferText {
    /// `↓ 44 %`, `12.0 MB of 26.7 MB`, `4.1 MB/s`, `4 s left`; `↑` while the request is sent.
    ///
    /// - Parameter seconds: How long the transfer has taken.
    static func details(_ progress: ProgressReport, seconds: Double) -> [String] {
        let (mark, done, total) = direction(progress)
        let rate = Double(done) / seconds
        let speed = seconds >= 1 && rate >= 1 && rate.isFinite ? ["\(size(Int(rate)))/s"] : []
        guard let total, total > 0, done <= total else { return ["\(mark) \(size(done))"] + speed }
        let percent = Int(Double(done) / Double(total) * 100)
        var details = ["\(mark) \(percent) %", "\(size(done)) of \(size(total))"] + speed
        let rest = (Double(total - done) / rate).rounded(.up)
        // A server may announce any size.
        if !speed.isEmpty, done < total, rest < 1e9 {
            details.append("\(RunProgress.time(.seconds(Int64(rest)))) left")
        }
        return details
    }

    /// Returns the completed fraction, from 0 to 1; `nil` if the size is unknown.
    static func fraction(_ progress: ProgressReport) -> Double? {
        let (_, done, total) = direction(progress)
        guard let total, total > 0, done <= total else { return nil }
        return Double(done) / Double(total)
    }

    private static func direction(_ progress: ProgressReport) -> (mark: String, done: Int, total: Int?) {
        progress.received == 0 && progress.sent > 0
            ? ("↑", progress.sent, progress.sentTotal) : ("↓", progress.received, progress.receivedTotal)
    }

    /// `↓ files/a.zip, 26.7 MB, resumed`
    static func file(_ file: RunEvent.DownloadedFile) -> String {
        let more = file.isKept ? ", kept" : file.isResumed ? ", resumed" : ""
        return "↓ \(file.path), \(size(file.bytes))\(more)"
    }

    /// `→ shop.sqlite, table orders: 64 records, 12.0 kB`
    static func file(_ file: RunEvent.WrittenFile) -> String {
        let table = file.table.map { ", table \($0)" } ?? ""
        return "→ \(file.path)\(table): \(records(file.records)), \(size(file.bytes))"
    }

    /// Returns a number of records: `60 records`.
    static func records(_ count: Int) -> String { count == 1 ? "1 record" : "\(count) records" }

    /// Returns a number of bytes in the largest unit that fits, to a tenth.
    static func size(_ bytes: Int) -> String {
        if bytes < 1000 { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        var (value, unit) = (Double(bytes) / 1000, "kB")
        for larger in ["MB", "GB", "TB"] where value >= 999.95 { (value, unit) = (value / 1000, larger) }
        return "\((value * 10).rounded() / 10) \(unit)"
    }
}
