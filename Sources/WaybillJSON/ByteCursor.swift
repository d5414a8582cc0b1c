/// Writes consecutive bytes into memory that the caller has allocated, which is faster than appending each to an array.
/// The memory must be large enough.
package struct ByteCursor {
    /// The address of the next byte to write.
    package private(set) var position: UnsafeMutablePointer<UInt8>

    /// Writes a byte.
    package mutating func put(_ byte: UInt8) {
        position.initialize(to: byte)
        position += 1
    }

    /// Writes bytes in order.
    package mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        position.initialize(from: start, count: bytes.count)
        position += bytes.count
    }

    /// Writes a literal in UTF-8.
    package mutating func put(_ text: StaticString) {
        put(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes a byte several times.
    package mutating func put(_ byte: UInt8, times count: Int) {
        position.initialize(repeating: byte, count: count)
        position += count
    }

    /// Writes two decimal digits.
    package mutating func put(twoDigits number: Int) {
        put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// Writes `significand` / 10^`fractionDigits`.
    package mutating func put(_ significand: UInt64, fractionDigits: Int, isNegative: Bool) {
        if isNegative { put(UInt8(ascii: "-")) }
        var count = 1
        var rest = significand / 10
        while rest > 0 {
            count += 1
            rest /= 10
        }
        count = max(count, fractionDigits + 1)
        let end = position + count + (fractionDigits > 0 ? 1 : 0)
        var next = end
        rest = significand
        for digit in 0..<count {
            if digit == fractionDigits, digit > 0 {
                next -= 1
                next.initialize(to: UInt8(ascii: "."))
            }
            next -= 1
            next.initialize(to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        }
        position = end
    }
}

extension [UInt8] {
    /// Appends the bytes that a closure writes, up to a maximum number.
    package mutating func append(atMost capacity: Int, _ write: (inout ByteCursor) -> Void) {
        append(addingCapacity: capacity) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                guard let start = buffer.baseAddress else { return }
                var cursor = ByteCursor(position: start + count)
                write(&cursor)
                count = cursor.position - start
                precondition(count <= buffer.count, "more bytes were written than there is room for")
            }
        }
    }
}
