/// A pattern in which `*` stands for any text and `?` for one code point; everything else is itself.
struct Glob: Sendable {
    private let pattern: [Unicode.Scalar]

    init(_ pattern: String) {
        self.pattern = Array(pattern.unicodeScalars)
    }

    /// Whether a whole text matches, in time proportional to the product of the lengths at worst.
    func matches(_ text: String) -> Bool {
        let text = Array(text.unicodeScalars)
        var at = 0
        var wanted = 0
        var star: (wanted: Int, at: Int)?
        while at < text.count {
            if wanted < pattern.count, pattern[wanted] == "*" {
                star = (wanted, at)
                wanted += 1
            } else if wanted < pattern.count, pattern[wanted] == "?" || pattern[wanted] == text[at] {
                wanted += 1
                at += 1
            } else if let last = star {
                star = (last.wanted, last.at + 1)
                wanted = last.wanted + 1
                at = last.at + 1
            } else {
                return false
            }
        }
        return pattern[wanted...].allSatisfy { $0 == "*" }
    }
}
