package import WaybillFormats

/// The name of a run, such as `20261121-052703-k3v9qa`. Sorting by name sorts runs by the second in which they started.
package struct RunID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name: the date and time in UTC, and six random characters.
    package let description: String

    /// The characters of the random part, without letters and digits that look alike.
    private static let alphabet = Array("23456789abcdefghjkmnpqrstuvwxyz")

    /// Creates a name for a run that starts at a time (in UTC). Six random characters distinguish it from others in
    /// that second.
    package init(at moment: Timestamp, using random: inout some RandomNumberGenerator) {
        let second = moment.description.prefix(19).filter { $0 != "-" && $0 != ":" }
        let tail = (0..<6).map { _ in Self.alphabet[Int.random(in: Self.alphabet.indices, using: &random)] }
        description = second.replacing("T", with: "-") + "-" + String(tail)
    }

    /// Creates a name for a run that starts now.
    package init() {
        var random = SystemRandomNumberGenerator()
        self.init(at: .now(), using: &random)
    }

    /// The second in which the run started.
    package var startedAt: Timestamp? {
        let digits = Array(description.utf8.filter { $0 != UInt8(ascii: "-") }.prefix(14))
        func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        let (day, time) = ([part(0..<4), part(4..<6), part(6..<8)], [part(8..<10), part(10..<12), part(12..<14)])
        return Timestamp(rfc3339: day.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z")
    }

    /// Creates a name that need not be that of a run.
    package init(name: String) {
        description = name
    }

    /// Parses a name; `nil` if it cannot be the name of a run.
    package init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard parts.map(\.count) == [8, 6, 6], parts[..<2].joined().allSatisfy(digits.contains),
            parts[2].allSatisfy({ digits.contains($0) || letters.contains($0) })
        else { return nil }
        description = String(text)
    }

    /// Compares the names, and so the seconds in which the runs started.
    package static func < (left: RunID, right: RunID) -> Bool { left.description < right.description }
}
