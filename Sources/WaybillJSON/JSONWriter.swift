/// Writes values as JSON text (RFC 8259), with each number as it was written and no unnecessary escapes.
package struct JSONWriter: Sendable {
    /// The placement of white space.
    package enum Layout: Sendable {
        /// None: the whole value is on one line.
        case compact
        /// For people: one element or member per line, indented by two spaces per level, without a line break at the
        /// end.
        case pretty
    }

    /// The placement of white space.
    package var layout: Layout
    /// Whether writing stops, so that the text is incomplete, once the deadline of the step has passed.
    package var stopsAtDeadline: Bool
    /// With `stopsAtDeadline`, the length in bytes after which writing stops, too. It may be exceeded by 64 KiB or a
    /// string.
    package var maximumBytes: Int
    /// Whether bytes are JSON text, as `JSONParser.undecodedMember` leaves it, which is written as it is.
    package var writesBytesAsText = false

    /// Creates a writer with a layout.
    ///
    /// - Parameters:
    ///   - stopsAtDeadline: Whether the text is incomplete once `WorkLimit.isDeadlinePassed`, as it may be where the step
    ///     fails then.
    ///   - maximumBytes: The length after which the text is incomplete.
    package init(layout: Layout = .compact, stopsAtDeadline: Bool = false, maximumBytes: Int = .max) {
        self.layout = layout
        self.stopsAtDeadline = stopsAtDeadline
        self.maximumBytes = maximumBytes
    }

    /// Returns the text of a value.
    package func string(_ value: JSON) -> String {
        var bytes: [UInt8] = []
        write(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text of a value, in UTF-8; `nil` if writing stopped at the deadline, or if it is too long.
    package func wholeText(_ value: JSON) -> [UInt8]? {
        var bytes: [UInt8] = []
        var stop = stop(from: 0)
        write(value, to: &bytes, depth: 0, &stop)
        return stop.hasStopped || bytes.count > maximumBytes ? nil : bytes
    }

    /// Returns the start of the text of a value for a message; see `String.excerpt`. A large value is not written to its
    /// end.
    package func excerpt(of value: JSON, _ maximum: Int) -> String {
        var bytes: [UInt8] = []
        // A code point takes up to four bytes.
        var stop = Stop(after: 4 * (maximum + 1))
        write(value, to: &bytes, depth: 0, &stop)
        return String(decoding: bytes, as: UTF8.self).excerpt(maximum)
    }

    /// Appends the text of a value, in UTF-8, which may be nested at a depth. It recurses as deep as the value is nested.
    package func write(_ value: JSON, to output: inout [UInt8], depth: Int = 0) {
        var stop = stop(from: output.count)
        write(value, to: &output, depth: depth, &stop)
    }

    /// When to stop if there are some bytes already.
    private func stop(from start: Int) -> Stop {
        stopsAtDeadline ? Stop(atDeadlineFrom: start, after: start + min(maximumBytes, .max - start)) : .never
    }

    private func write(_ value: JSON, to output: inout [UInt8], depth: Int, _ stop: inout Stop) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: value ? "true".utf8 : "false".utf8)
        case .number(let number): number.write(to: &output)
        case .string(let string): Self.write(string, to: &output)
        case .bytes(let bytes) where writesBytesAsText: output.append(contentsOf: bytes)
        case .bytes(let bytes): Self.write(Base64.encode(bytes), to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if stop.isDue(at: output.count) { return }
                if index > 0 { output.append(UInt8(ascii: ",")) }
                layout.breakLine(depth: depth + 1, &output)
                write(element, to: &output, depth: depth + 1, &stop)
            }
            if !elements.isEmpty { layout.breakLine(depth: depth, &output) }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, (name, value)) in members.enumerated() {
                if stop.isDue(at: output.count) { return }
                if index > 0 { output.append(UInt8(ascii: ",")) }
                layout.breakLine(depth: depth + 1, &output)
                Self.write(name, to: &output)
                output.append(UInt8(ascii: ":"))
                if layout == .pretty { output.append(UInt8(ascii: " ")) }
                write(value, to: &output, depth: depth + 1, &stop)
            }
            if !members.isEmpty { layout.breakLine(depth: depth, &output) }
            output.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONWriter {
    /// When writing stops before the end of the value.
    private struct Stop {
        static let never = Stop(after: .max)
        private static let bytesBetweenChecks = 1 << 16

        /// The number of bytes written at which to stop, or to ask whether to stop.
        private var next: Int
        private let end: Int

        /// Stops after some bytes.
        init(after end: Int) {
            self.end = end
            next = end
        }

        /// Stops after some bytes, or once the deadline of the step has passed. There are some bytes already.
        init(atDeadlineFrom start: Int, after end: Int) {
            self.end = end
            next = start + Self.bytesBetweenChecks
        }

        var hasStopped: Bool { next == 0 }

        @inline(__always)
        mutating func isDue(at count: Int) -> Bool {
            guard count >= next else { return false }
            return isDueNow(at: count)
        }

        private mutating func isDueNow(at count: Int) -> Bool {
            guard count < end, !WorkLimit.isDeadlinePassed else {
                next = 0
                return true
            }
            next = count + Self.bytesBetweenChecks
            return false
        }
    }
}

extension JSONWriter.Layout {
    /// Starts a line for an element, a member or a closing bracket.
    package func breakLine(depth: Int, _ output: inout [UInt8]) {
        guard self == .pretty else { return }
        output.append(UInt8(ascii: "\n"))
        for _ in 0..<depth * 2 { output.append(UInt8(ascii: " ")) }
    }
}

extension JSON {
    /// The value for messages: a string without its quotes, anything else as JSON.
    package var words: String { string ?? JSONWriter().string(self) }
}
