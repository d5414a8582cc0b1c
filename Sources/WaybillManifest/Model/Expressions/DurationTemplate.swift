/// A duration in the manifest: a constant such as `15s`, or a string with `${…}` that evaluates to one.
package enum DurationTemplate: Sendable {
    /// A constant.
    case constant(Duration)
    /// A template that evaluates to a duration.
    case template(ManifestTemplate)

    /// The duration, if it is a constant.
    package var constant: Duration? {
        switch self {
        case .constant(let duration): duration
        case .template: nil
        }
    }
}

extension Duration {
    /// The maximum duration in a manifest, in seconds: ten years, so that arithmetic on clocks cannot overflow.
    static let maximumSeconds: Double = 10 * 366 * 86_400

    /// Parses a duration in the notation of manifests: a number and one of the units `ms`, `s`, `m`, `h`; `nil` if it
    /// is invalid or longer than ten years.
    package init?(manifestText text: String) {
        guard let seconds = Self.seconds(manifestText: text), seconds <= Self.maximumSeconds else { return nil }
        self = .nanoseconds(Int64((seconds * 1e9).rounded()))
    }

    /// Returns the seconds of a duration in the notation of manifests, without a maximum; `nil` if it is invalid.
    static func seconds(manifestText text: String) -> Double? {
        let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        let digits = text.dropLast(unit.suffix.count)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) else { return nil }
        return Double(digits).map { $0 * unit.seconds }
    }
}

/// Parses sizes in the notation of manifests.
package enum ByteSize {
    /// Returns the bytes of a size such as `65536`, `64KiB` or `10MB`; `nil` if it is invalid or 2^53 bytes or more.
    package static func bytes(_ text: String) -> Int? {
        guard let bytes = approximateBytes(text), bytes < 0x1p53 else { return nil }
        return Int(bytes)
    }

    /// Returns the bytes of a size, without a maximum; `nil` if it is invalid.
    static func approximateBytes(_ text: String) -> Double? {
        let units: [(suffix: String, factor: Double)] = [
            ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
            ("kB", 1000), ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1),
        ]
        let unit = units.first { text.hasSuffix($0.suffix) }
        let digits = text.dropLast(unit?.suffix.count ?? 0)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) else { return nil }
        return Double(digits).map { $0 * (unit?.factor ?? 1) }
    }
}
