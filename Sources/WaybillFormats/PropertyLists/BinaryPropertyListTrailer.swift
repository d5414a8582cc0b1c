/// The end of a binary property list, which locates everything else.
struct BinaryPropertyListTrailer {
    /// The size in bytes.
    static let size = 32

    /// The size of an entry of the table of offsets in bytes, 1 to 8.
    let offsetSize: Int
    /// The size of a reference to an object in bytes, 1 to 8.
    let referenceSize: Int
    /// The number of objects.
    let objectCount: Int
    /// The number of the top object; less than `objectCount`.
    let topObject: Int
    /// The offset of the table of offsets, which ends before the trailer.
    let offsetTable: Int

    init(of bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.starts(with: "bplist00".utf8) else {
            throw PropertyListError("this version of binary property lists is not supported", at: 6)
        }
        let start = bytes.count - Self.size
        // The shortest property list has one object of one byte.
        guard start >= 10 else {
            throw PropertyListError("the binary property list is too short", at: bytes.count)
        }
        func number(at offset: Int) -> Int? {
            Int(exactly: bytes[(start + offset)..<(start + offset + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        offsetSize = Int(bytes[start + 6])
        referenceSize = Int(bytes[start + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
            throw PropertyListError("the trailer has invalid sizes", at: start + 6)
        }
        guard let objectCount = number(at: 8), objectCount > 0 else {
            throw PropertyListError("the trailer has an invalid number of objects", at: start + 8)
        }
        guard let topObject = number(at: 16), topObject < objectCount else {
            throw PropertyListError("the top object does not exist", at: start + 16)
        }
        guard let offsetTable = number(at: 24), offsetTable > 8, offsetTable < start,
            objectCount <= (start - offsetTable) / offsetSize
        else { throw PropertyListError("the table of offsets is not within the bytes", at: start + 24) }
        self.objectCount = objectCount
        self.topObject = topObject
        self.offsetTable = offsetTable
    }
}
