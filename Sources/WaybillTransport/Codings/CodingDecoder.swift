/// Undoes one coding of content (RFC 9110, section 8.4), piece by piece.
protocol CodingDecoder: AnyObject {
    /// Whether the coded content has come to its end, by its own words.
    var isComplete: Bool { get }

    /// Takes bytes from the front of the input and writes what they say into the room, as far as it goes; gives how many
    /// bytes were written. It has taken all that it can when there is room left. Nil for what is not so coded, and
    /// for what follows the end.
    func decode(_ input: inout Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int?
}
