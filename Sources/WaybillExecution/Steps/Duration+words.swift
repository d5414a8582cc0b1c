extension Duration {
    /// The duration as manifests write it: `250ms`, `15s`, `1.5s`.
    var words: String {
        let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        if milliseconds < 1000 { return "\(milliseconds)ms" }
        let rest = milliseconds % 1000
        guard rest != 0 else { return "\(milliseconds / 1000)s" }
        var digits = String(rest + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(milliseconds / 1000).\(digits)s"
    }
}
