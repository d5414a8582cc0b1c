/// Adds up about how much memory values take.
///
/// A part that a value has in several places counts in each, although it is stored once: it is written, compared and
/// counted in each.
package struct JSONSize: Sendable {
    /// The maximum size in bytes of a value that an expression or a filter makes.
    package static let limit = 1 << 30

    /// Why values cannot be used.
    package struct Excess: Error, Sendable {
        /// The reason, for a message.
        package let message: String

        static let tooDeep = Excess(message: "the value is nested more than \(JSON.greatestDepth) levels deep")
        static let tooLarge = Excess(
            message: "the value takes more than \(limit >> 30) GiB of memory, in which a list that is inserted several "
                + "times counts each time; select a part of it"
        )
        static let stopped = Excess(message: WorkLimit.message)
    }

    /// The size of the values so far in bytes.
    package private(set) var bytes = 0
    private let limit: Int
    private var workLimit = WorkLimit.Check()

    /// Creates the size of nothing, with a limit in bytes.
    package init(limit: Int = JSONSize.limit) {
        self.limit = limit
    }

    /// Adds a value. Throws if it is nested deeper than `JSON.greatestDepth`, if the values take more than the limit, or
    /// once `WorkLimit` is reached.
    package mutating func add(_ value: JSON) throws(Excess) {
        try add(value, depth: JSON.greatestDepth)
        if bytes > limit { throw .tooLarge }
    }

    private mutating func add(_ value: JSON, depth: Int) throws(Excess) {
        bytes += MemoryLayout<JSON>.stride
        if bytes > limit { throw .tooLarge }
        if workLimit.isReached(at: bytes) { throw .stopped }
        switch value {
        case .null, .bool: break
        case .number(let number): if case .text(let digits) = number.form { add(digits) }
        case .string(let string): add(string)
        case .bytes(let content): bytes += Self.ofStorage + content.count
        case .array(let elements):
            guard depth > 0 else { throw .tooDeep }
            if !elements.isEmpty { bytes += Self.ofStorage }
            for element in elements { try add(element, depth: depth - 1) }
        case .object(let members):
            guard depth > 0 else { throw .tooDeep }
            if !members.isEmpty { bytes += 2 * Self.ofStorage }
            for (name, member) in members {
                bytes += MemoryLayout<String>.stride
                add(name)
                try add(member, depth: depth - 1)
            }
        }
    }

    private mutating func add(_ string: String) {
        let count = string.utf8.count
        if count > Self.inlineBytes { bytes += Self.ofStorage + count }
    }

    /// The number of bytes up to which a string needs no storage of its own.
    private static let inlineBytes = 15
    /// The number of bytes that the storage of a string or list takes in addition to its content.
    private static let ofStorage = 32
}
