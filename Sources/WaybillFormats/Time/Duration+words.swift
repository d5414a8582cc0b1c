extension Duration {
    /// The duration in the notation of manifests: `250ms`, `15s`, `1.5s`. A duration below a millisecond has a
    /// fraction: `0.25ms`.
    package var words: String {
        let (seconds, attoseconds) = components
        let nanoseconds = attoseconds / 1_000_000_000
        let milliseconds = nanoseconds / 1_000_000
        if seconds != 0 { return "\(seconds)\(Self.fraction(abs(milliseconds), digits: 3))s" }
        return milliseconds != 0 ? "\(milliseconds)ms" : "0\(Self.fraction(abs(nanoseconds), digits: 6))ms"
    }

    /// Returns the digits after the decimal point, without trailing zeros.
    private static func fraction(_ value: Int64, digits: Int) -> String {
        guard value != 0 else { return "" }
        var text = String(value)
        text = "." + String(repeating: "0", count: digits - text.count) + text
        while text.last == "0" { text.removeLast() }
        return text
    }
}
