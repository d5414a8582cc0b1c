import WaybillPlatform

extension String {
    /// Whether two strings have the same code points. `==` is also true for canonically equivalent strings.
    package func hasSameCodePoints(as other: String) -> Bool {
        let (left, right) = (utf8, other.utf8)
        guard left.count == right.count else { return false }
        let isSame = unsafe left.withContiguousStorageIfAvailable { left in
            unsafe right.withContiguousStorageIfAvailable { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, other.utf8.count) == 0
            }
        }
        return (isSame ?? nil) ?? left.elementsEqual(right)
    }

    /// Creates a string from UTF-8. Bytes that are not UTF-8 become U+FFFD.
    package init(decoding bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the start of a string for a message: at most a number of code points, with `…` if something was cut off. The
    /// redactor relies on the `…` to find a secret that was cut (see `Redactor`).
    package func excerpt(_ maximum: Int) -> String {
        let start = start(maximum)
        return start.endIndex == endIndex ? self : start + "…"
    }

    /// Returns the start of a string: at most a number of code points, and only whole characters, such as letters with
    /// their accents, unless the first one is longer.
    package func start(_ maximum: Int) -> Substring {
        guard let end = unicodeScalars.index(startIndex, offsetBy: maximum, limitedBy: endIndex), end < endIndex else {
            return self[...]
        }
        // The last of these characters is cut off, or starts at the end.
        let characters = self[...end]
        let last = characters.index(before: characters.endIndex)
        return last > startIndex ? self[..<last] : self[..<end]
    }

    /// Whether a string starts with these code points. `hasPrefix` also accepts canonically equivalent ones, and its time
    /// is quadratic in the number of marks on a letter.
    package func startsWithCodePoints(of prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether a string ends with these code points.
    package func endsWithCodePoints(of suffix: String) -> Bool {
        utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// Whether a string comes before another by code points, which is also the order of their UTF-8 bytes.
    package func precedesByCodePoints(_ other: String) -> Bool {
        let (left, right) = (utf8.span, other.utf8.span)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }

    /// Feeds the code points to a hasher, consistently with `hasSameCodePoints(as:)`.
    package func hashCodePoints(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

extension Span<UInt8> {
    /// The offset of the first byte that does not start or continue a character in UTF-8; `nil` if all bytes are valid.
    package var firstInvalidByte: Int? {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: self)
            return nil
        } catch {
            return error.byteOffsets.lowerBound
        }
    }

    /// Whether two spans have the same bytes.
    package func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe bytes.withUnsafeBytes { left in
            unsafe other.bytes.withUnsafeBytes { right in
                unsafe isEmpty || memcmp(left.baseAddress!, right.baseAddress!, right.count) == 0
            }
        }
    }
}

/// A string as a key of dictionaries and sets that is compared by code points, like the names in JSON and YAML and the
/// paths of files.
///
/// `String` treats canonically equivalent strings as equal, and gives them the same hash: a text with thousands of them
/// as names would make a table of strings as slow as a list.
package struct CodePoints: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The string.
    package let text: String

    /// Creates a key from a string.
    package init(_ text: String) {
        self.text = text
    }

    package init(stringLiteral text: String) { self.init(text) }

    package static func == (left: CodePoints, right: CodePoints) -> Bool {
        left.text.hasSameCodePoints(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        text.hashCodePoints(into: &hasher)
    }
}
