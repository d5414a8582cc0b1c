/// A duration of the manifest: a constant such as `15s`, or a text with `${…}` in it that gives one when it is needed.
package enum DurationTemplate: Sendable {
    /// A constant.
    case constant(Duration)
    /// A text that gives a duration.
    case template(ManifestTemplate)
}

extension Duration {
    /// A duration as manifests write it: a number and one of the units `ms`, `s`, `m`, `h`; `nil` when it is not one.
    ///
    /// At most ten years, so that no arithmetic on clocks can overflow.
    package init?(manifestText text: String) {
        let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        let digits = text.dropLast(unit.suffix.count)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let number = Double(digits), number * unit.seconds <= 10 * 366 * 86_400
        else { return nil }
        self = .nanoseconds(Int64((number * unit.seconds * 1e9).rounded()))
    }
}

/// Sizes as manifests write them.
package enum ByteSize {
    /// The bytes of a size such as `65536`, `64KiB` or `10MB`; `nil` when it is not one or is 2^53 bytes or more.
    package static func bytes(_ text: String) -> Int? {
        let units: [(suffix: String, factor: Double)] = [
            ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
            ("kB", 1000), ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1),
        ]
        let unit = units.first { text.hasSuffix($0.suffix) }
        let digits = text.dropLast(unit?.suffix.count ?? 0)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let number = Double(digits)
        else { return nil }
        let bytes = number * (unit?.factor ?? 1)
        return bytes < 0x1p53 ? Int(bytes) : nil
    }
}
