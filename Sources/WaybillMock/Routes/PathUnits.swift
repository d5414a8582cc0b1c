/// A path as its percent-decoded bytes, in which the `/` between segments differs from a decoded `%2F`.
enum PathUnits {
    /// Stands between two segments.
    static let separator: UInt16 = 256

    /// The units of a path. A `%` that begins no escape stands for itself.
    static func of(_ path: some Sequence<UInt8>) -> [UInt16] {
        var units: [UInt16] = []
        for byte in path {
            units.append(byte == UInt8(ascii: "/") ? separator : UInt16(byte))
            if let value = escape(units.suffix(3)) { units.replaceSubrange((units.count - 3)..., with: [value]) }
        }
        return units
    }

    private static func escape(_ units: ArraySlice<UInt16>) -> UInt16? {
        guard units.count == 3, units.first == UInt16(UInt8(ascii: "%")) else { return nil }
        return units.dropFirst().reduce(0) { value, unit in
            guard let value, let digit = Unicode.Scalar(unit).flatMap({ Character($0).hexDigitValue }) else {
                return nil
            }
            return value << 4 | UInt16(digit)
        }
    }
}
