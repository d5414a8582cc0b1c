import CLibCurl
import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// The file of a cookie jar, in Netscape's format: one cookie per line.
struct CookieJarFile: Equatable {
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
            bytes = try LocalFile(path).read(limit: Self.maximumBytes)
        } catch {
            if error.reason == .notFound { return [] }
            throw .refused(CURLE_READ_ERROR, "the cookie jar \(path) cannot be read: \(error.message)")
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

    /// Applies the changes of a run to the cookies that are now in the file, which another run may have changed since they
    /// were loaded. Of a symbolic link, the file that it leads to is replaced. Returns a message if that failed.
    ///
    /// - Parameters:
    ///   - loaded: The lines of the jar when its file was loaded.
    ///   - current: The lines of the jar now.
    func apply(from loaded: [String], to current: [String]) -> String? {
        let target = FileContents.target(of: path)
        do {
            let lock = try FileLock(waitingFor: target)
            defer { withExtendedLifetime(lock) {} }
            let lines = try Self.merged(lines(), from: loaded, to: current)
            try FileContent.replace(target, with: Array((Self.title + lines.map { $0 + "\n" }.joined()).utf8))
            return nil
        } catch let failure as TransportFailure {
            return failure.message
        } catch let error as SystemError where error.errno == EWOULDBLOCK {
            return
                "the cookie jar \(path) cannot be written: another process holds the lock \(FileLock.path(for: target)); run again when that process has ended"
        } catch {
            return "the cookie jar \(path) cannot be written: \(error)"
        }
    }

    /// Returns the cookies of a file after the changes of a run, without those that have expired.
    private static func merged(_ lines: [String], from loaded: [String], to current: [String]) -> [String] {
        let now = time(nil)
        let before = Dictionary(loaded.map { (identity(of: $0), $0) }, uniquingKeysWith: { $1 })
        let after = Dictionary(current.map { (identity(of: $0), $0) }, uniquingKeysWith: { $1 })
        let set = after.filter { !$0.value.hasSameCodePoints(as: before[$0.key] ?? "") }.keys
        // Another run may have renewed a cookie that is missing only because its time was over.
        let removed = before.filter { after[$0.key] == nil && !isOver($0.value, by: now) }.keys
        let changed = Set(set).union(removed)
        let kept = lines.filter { !changed.contains(identity(of: $0)) }
        return (kept + current.filter { changed.contains(identity(of: $0)) }).filter { !isOver($0, by: now) }
    }

    /// Whether two jars differ in more than when their cookies expire.
    static func valuesDiffer(_ lines: [String], _ others: [String]) -> Bool {
        let values = [lines, others].map { lines in
            Set(lines.map { identity(of: $0) + [CodePoints($0.split(separator: "\t").last.map(String.init) ?? "")] })
        }
        return values[0] != values[1]
    }

    /// What a cookie has in common with those that it replaces: domain, path and name (RFC 6265, section 5.3), and whether
    /// it is also sent to subdomains, which libcurl compares too.
    private static func identity(of line: String) -> [CodePoints] {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard columns.count == 7 else { return [CodePoints(line)] }
        var domain = columns[0].hasPrefix(hiddenMark) ? columns[0].dropFirst(hiddenMark.count) : columns[0]
        if domain.first == "." { domain.removeFirst() }
        return [CodePoints(domain.lowercased())] + [1, 2, 5].map { CodePoints(String(columns[$0])) }
    }

    /// The start of the line of a cookie that is hidden from scripts.
    private static let hiddenMark = "#HttpOnly_"

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
            let isCookie = line.first != UInt8(ascii: "#") || line.starts(with: hiddenMark.utf8)
            let columns = line.split(separator: 0x09, omittingEmptySubsequences: false)
            // libcurl would use the value of a cookie without a name as its name.
            guard isCookie, columns.count == 7, !columns[5].isEmpty else { return nil }
            return String(validating: line, as: UTF8.self)
        }
    }
}
