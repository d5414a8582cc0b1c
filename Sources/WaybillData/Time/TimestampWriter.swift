/// Writes moments as RFC 3339 does, one after the other: most of those of a run are within the same second as the one before,
/// and then only their milliseconds are new.
struct TimestampWriter: Sendable {
    /// The second that was written last, since 1970.
    private var second: Int64?
    /// Its text, up to the milliseconds.
    private var text: [UInt8] = []

    /// Appends a moment as its `description` has it, in UTF-8.
    mutating func write(_ moment: Timestamp, to output: inout [UInt8]) {
        guard moment.nanoseconds >= 0 else { return moment.write(to: &output) }
        let (second, nanosecond) = moment.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        if second != self.second {
            self.second = second
            text = []
            moment.write(to: &text)
            text.removeLast(4)
        }
        let millisecond = Int(nanosecond) / 1_000_000
        text.withUnsafeBufferPointer { text in
            output.append(atMost: text.count + 4) { cursor in
                cursor.put(text)
                cursor.put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: millisecond / 100))
                cursor.put(twoDigits: millisecond % 100)
                cursor.put(UInt8(ascii: "Z"))
            }
        }
    }
}
