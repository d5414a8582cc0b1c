package import WaybillDiagnostics

/// The locations of some values of a JSON text, found in one pass over it.
///
/// Parsed values have no locations, which keeps them small. For diagnostics, the text is read again to locate the
/// values of some pointers. Names are compared as by `JSONPointer`. If a name is repeated in an object, the last one
/// counts, as for `JSONParser`.
package struct JSONLocations: DocumentLocations, Sendable {
    /// A step towards the wanted values.
    private struct Step {
        var next: [JSONPointer.Token: Int] = [:]
        var key: Range<Int>?
        var value: Range<Int>?
    }

    private let file: SourceFile
    private let part: Range<Int>
    private var steps = [Step()]

    /// Finds the values that pointers lead to.
    ///
    /// - Parameters:
    ///   - pointers: The only locations that can be requested, with those of the enclosing values.
    ///   - file: The text.
    ///   - part: The bytes of the document, such as a line; the whole text by default. In a document that is not JSON,
    ///     the locations before the error are found.
    package init(of pointers: some Sequence<JSONPointer>, in file: SourceFile, part: Range<Int>? = nil) {
        self.file = file
        self.part = part ?? 0..<file.bytes.count
        for pointer in pointers { add(pointer) }
        var scanner = JSONScanner(Array(file.bytes[self.part]))
        scanner.skipByteOrderMark()
        try? read(0, &scanner, depth: 0)
    }

    /// The span of the whole value, or of the whole document if it is not JSON.
    package var span: SourceSpan { span(steps[0].value) ?? file.span(part) }

    /// Returns the span of the value that a pointer leads to; `nil` if there is none or the pointer was not requested.
    package func span(at pointer: JSONPointer) -> SourceSpan? {
        span(step(at: pointer)?.value)
    }

    /// Returns the span of the name of the member that a pointer leads to, with its quotes; `nil` for other values.
    package func keySpan(at pointer: JSONPointer) -> SourceSpan? {
        span(step(at: pointer)?.key)
    }

    private func span(_ range: Range<Int>?) -> SourceSpan? {
        range.map { file.span(part.lowerBound + $0.lowerBound..<part.lowerBound + $0.upperBound) }
    }

    private func step(at pointer: JSONPointer) -> Step? {
        var index = 0
        for token in pointer.tokens {
            guard let next = steps[index].next[token] else { return nil }
            index = next
        }
        return steps[index]
    }

    private mutating func add(_ pointer: JSONPointer) {
        var index = 0
        for token in pointer.tokens {
            if let next = steps[index].next[token] {
                index = next
            } else {
                steps[index].next[token] = steps.count
                index = steps.count
                steps.append(Step())
            }
        }
    }
}

extension JSONLocations {
    /// Reads the value of a step. The recursion is no deeper than the pointers or the maximum depth of a value.
    private mutating func read(_ step: Int, _ scanner: inout JSONScanner, depth: Int) throws(JSONSyntaxError) {
        scanner.skipSpace()
        let start = scanner.position
        switch scanner.peek {
        case UInt8(ascii: "{") where !steps[step].next.isEmpty && depth < JSON.greatestDepth:
            try readMembers(step, &scanner, depth: depth)
        case UInt8(ascii: "[") where !steps[step].next.isEmpty && depth < JSON.greatestDepth:
            try readElements(step, &scanner, depth: depth)
        default:
            scanner.skipValue()
        }
        steps[step].value = start..<scanner.position
    }

    private mutating func readMembers(
        _ step: Int,
        _ scanner: inout JSONScanner,
        depth: Int
    ) throws(JSONSyntaxError) {
        scanner.position += 1
        if scanner.skip(UInt8(ascii: "}")) { return }
        repeat {
            scanner.skipSpace()
            let start = scanner.position
            guard scanner.peek == UInt8(ascii: "\"") else { throw JSONSyntaxError("expected a name", at: start) }
            let name = try scanner.readString()
            let key = start..<scanner.position
            guard scanner.skip(UInt8(ascii: ":")) else {
                throw JSONSyntaxError("expected a colon", at: scanner.position)
            }
            if let next = steps[step].next[.name(name)] {
                forget(next)
                steps[next].key = key
                try read(next, &scanner, depth: depth + 1)
            } else {
                scanner.skipValue()
            }
        } while scanner.skip(UInt8(ascii: ","))
        guard scanner.skip(UInt8(ascii: "}")) else {
            throw JSONSyntaxError("expected a comma or }", at: scanner.position)
        }
    }

    private mutating func readElements(
        _ step: Int,
        _ scanner: inout JSONScanner,
        depth: Int
    ) throws(JSONSyntaxError) {
        scanner.position += 1
        if scanner.skip(UInt8(ascii: "]")) { return }
        var index = 0
        repeat {
            if let next = steps[step].next[.index(index)] {
                try read(next, &scanner, depth: depth + 1)
            } else {
                scanner.skipValue()
            }
            index += 1
        } while scanner.skip(UInt8(ascii: ","))
        guard scanner.skip(UInt8(ascii: "]")) else {
            throw JSONSyntaxError("expected a comma or ]", at: scanner.position)
        }
    }

    /// Removes what was found at a step and below it, because its name is repeated.
    private mutating func forget(_ step: Int) {
        guard steps[step].value != nil else { return }
        var open = [step]
        while let step = open.popLast() {
            steps[step].key = nil
            steps[step].value = nil
            open += steps[step].next.values
        }
    }
}

/// The locations of the values of a document in its text.
package protocol DocumentLocations {
    var span: SourceSpan { get }

    /// Returns the span of the value that a pointer leads to; `nil` if there is none.
    func span(at pointer: JSONPointer) -> SourceSpan?

    /// Returns the span of the name that a pointer ends with; `nil` for an element of a list and for the whole value.
    func keySpan(at pointer: JSONPointer) -> SourceSpan?
}
