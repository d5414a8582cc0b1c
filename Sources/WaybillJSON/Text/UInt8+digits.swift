extension UInt8 {
    /// Whether the byte is a decimal digit in ASCII.
    package var isDigit: Bool { (0x30...0x39).contains(self) }

    /// The value of the byte as a hexadecimal digit in ASCII, in either case; `nil` if it is not a digit.
    package var hexadecimalDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46, 0x61...0x66: (self & 0xF) + 9
        default: nil
        }
    }
}
