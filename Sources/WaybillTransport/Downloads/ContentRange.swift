/// A `Content-Range` field of bytes (RFC 9110, section 14.4).
package struct ContentRange: Equatable {
    /// The positions of the response's bytes in the file; nil in a 416.
    package let bytes: ClosedRange<Int>?
    /// The size of the whole file; nil if the server does not know it.
    package let total: Int?

    /// Parses the range of a response; nil if there is none, there are several, or it contradicts itself.
    init?(_ headers: HTTPFields) {
        let values = headers.values(named: "Content-Range")
        guard values.count == 1, let value = values.first else { return nil }
        self.init(value)
    }

    /// Parses `bytes 0-499/1234`, `bytes 0-499/*` and `bytes */1234`.
    package init?(_ text: String) {
        let words = text.unicodeScalars.split(separator: " ").map { Substring($0) }
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard sides.count == 2 else { return nil }
        if sides[1] == "*" {
            total = nil
        } else {
            guard let total = Self.number(sides[1]) else { return nil }
            self.total = total
        }
        if sides[0] == "*" {
            guard total != nil else { return nil }
            bytes = nil
            return
        }
        let ends = sides[0].unicodeScalars.split(separator: "-", omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            last < total ?? .max
        else { return nil }
        bytes = first...last
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
