extension BinaryInteger {
    /// Returns the digits of a number that is not negative, after zeros up to a number of digits.
    package func digits(_ minimum: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix, uppercase: true)
        return String(repeating: "0", count: max(0, minimum - digits.utf8.count)) + digits
    }
}
