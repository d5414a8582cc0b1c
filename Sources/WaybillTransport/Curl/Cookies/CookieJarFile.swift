import CLibCurl
import WaybillPlatform
import WaybillRuntime

/// The file of a cookie jar, in Netscape's format: one cookie per line.
struct CookieJarFile: Equatable {
    /// The path of the file.
    let path: String

    // The time that libcurl needs to load a jar grows with the square of its cookies, and no transfer proceeds until
    // then.
    private static let maximumBytes = 2 << 20
    private static let title = "# Netscape HTTP Cookie File\n# Written by Waybill. Do not edit while it runs.\n\n"

    /// The lines with cookies; empty if there is no such file. Throws if the file cannot be read or is not a cookie
    /// jar, because the run would replace it at its end.
    func lines() throws(TransportFailure) -> [String] {
        let bytes: [UInt8]
        do {
            bytes = try FileContent.read(path, maximumBytes: Self.maximumBytes)
        } catch {
            if error == .noSuchFile { return [] }
            throw .refused(CURLE_READ_ERROR, "the cookie jar \(path) cannot be read: \(error)")
        }
        let lines = Self.lines(of: bytes)
        guard !lines.isEmpty || bytes.isEmpty || Self.titles.contains(where: { bytes.starts(with: $0.utf8) }) else {
            throw .refused(
                CURLE_READ_ERROR,
                "\(path) is not a cookie jar: it has neither a cookie nor the header of the Netscape format; the run would replace it"
            )
        }
        return lines
    }

    /// The first lines of jars by Waybill, libcurl and other programs.
    private static let titles = ["# Netscape HTTP Cookie File", "# HTTP Cookie File"]

    /// Writes the lines of a jar, either completely or not at all; of a symbolic link, to the file that it leads to. Returns a message if that failed.
    func write(_ lines: [String]) -> String? {
        let now = time(nil)
        let text = Self.title + lines.filter { !Self.isOver($0, by: now) }.map { $0 + "\n" }.joined()
        do {
            try FileContent.replace(FileContents.target(of: path), with: Array(text.utf8))
            return nil
        } catch {
            return "the cookie jar \(path) cannot be written: \(error)"
        }
    }

    /// Whether a cookie has expired. libcurl removes expired cookies only when it selects cookies to send, which may
    /// not have happened.
    private static func isOver(_ line: String, by now: time_t) -> Bool {
        // The fifth column; 0 is the end of the session, which only the user knows.
        let columns = line.split(separator: "\t", maxSplits: 5, omittingEmptySubsequences: false)
        guard columns.count > 4, let end = time_t(columns[4]), end > 0 else { return false }
        return end <= now
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        bytes.split { $0 == 0x0A || $0 == 0x0D }.compactMap { line in
            // A line with # is a comment, unless it marks a cookie that is hidden from scripts. libcurl would treat
            // "Set-Cookie:" as a field.
            let isCookie = line.first != UInt8(ascii: "#") || line.starts(with: "#HttpOnly_".utf8)
            let columns = line.split(separator: 0x09, omittingEmptySubsequences: false)
            // libcurl would use the value of a cookie without a name as its name.
            guard isCookie, columns.count == 7, !columns[5].isEmpty else { return nil }
            return String(validating: line, as: UTF8.self)
        }
    }
}
