/// The differences between a value and an expected one, each with its path.
package struct JSONComparison: Sendable {
    /// The required relation of a value to the expected one.
    package enum Expectation: Sendable {
        /// It contains the expected one: objects may have more members, and lists have the same length.
        case contains
        /// It equals the expected one.
        case equals
    }

    /// A part of a value that is different, missing or additional.
    package struct Difference: Sendable {
        /// The path of the part in the expected value.
        package let path: [JSONPointer.Token]
        /// The difference, as the predicate of a sentence whose subject is the whole value.
        package let message: String
    }

    /// The first differences, up to the limit.
    package private(set) var differences: [Difference] = []
    /// The number of all differences.
    package private(set) var count = 0
    private let expectation: Expectation
    private let limit: Int
    private let hidesExpected: Bool
    /// The paths of the current part in the value and in the expected one.
    private var (path, expectedPath): ([JSONPointer.Token], [JSONPointer.Token]) = ([], [])
    /// How many more pairs of elements may be compared to align lists.
    private var comparisonsLeft = 4_096
    /// The maximum distance at which equal elements of two lists are aligned, and the depth at which lists still are.
    private static let (window, alignedDepth) = (32, 16)

    /// Compares a value with an expected one. The elements of lists are aligned, so that a missing or additional one is one
    /// difference; those that cannot be aligned are compared by index.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of differences to describe.
    ///   - hidesExpected: Whether messages do not show the expected values, because they contain a secret.
    package init(
        of found: JSON,
        with expected: JSON,
        _ expectation: Expectation,
        limit: Int,
        hidesExpected: Bool = false
    ) {
        self.expectation = expectation
        self.limit = limit
        self.hidesExpected = hidesExpected
        compare(found, expected)
    }

    private mutating func compare(_ found: JSON, _ expected: JSON) {
        switch (found, expected) {
        case (.object(let object), .object(let members)):
            for (name, value) in members {
                if let inner = object[name] {
                    compare(inner, value, at: .name(name), .name(name))
                } else {
                    add("has no '\(name)'", of: .name(name))
                }
            }
            guard expectation == .equals else { return }
            for (name, value) in object where members[name] == nil {
                add("has the additional member '\(name)', which is \(Self.shown(value))")
            }
        case (.array(let elements), .array(let values)): compare(elements, values)
        default:
            let isHidden = hidesExpected
            if found != expected {
                add("is \(Self.shown(found)), not \(isHidden ? "***" : Self.shown(expected))")
            }
        }
    }

    private mutating func compare(
        _ found: JSON,
        _ expected: JSON,
        at token: JSONPointer.Token,
        _ expectedToken: JSONPointer.Token
    ) {
        path.append(token)
        expectedPath.append(expectedToken)
        compare(found, expected)
        path.removeLast()
        expectedPath.removeLast()
    }

    private mutating func compare(_ found: [JSON], _ expected: [JSON]) {
        var (ends, next) = ((found.count, expected.count), (0, 0))
        // Elements that one list has more than the other, as sentences.
        var surplus: [String] = []
        var firstMissing: Int?
        func addAdditional(upTo end: Int) {
            guard next.0 < end else { return }
            surplus.append(Self.sentence(next.0..<end, "not expected", Self.shown(found[next.0])))
            next.0 = end
        }
        func addMissing(upTo end: Int) {
            guard next.1 < end else { return }
            firstMissing = firstMissing ?? next.1
            surplus.append(Self.sentence(next.1..<end, "missing", hidesExpected ? nil : Self.shown(expected[next.1])))
            next.1 = end
        }
        let isAligned = path.count < Self.alignedDepth && max(found.count, expected.count) > 1
        if isAligned {
            while next.0 < min(ends.0, ends.1), matches(found[next.0], expected[next.0]) {
                next = (next.0 + 1, next.0 + 1)
            }
            while next.0 < ends.0, next.1 < ends.1, matches(found[ends.0 - 1], expected[ends.1 - 1]) {
                ends = (ends.0 - 1, ends.1 - 1)
            }
        }
        while next.0 < ends.0, next.1 < ends.1 {
            let distance = isAligned ? distance(of: found[next.0..<ends.0], expected[next.1..<ends.1]) : (1, 1)
            if distance.1 == 0 {
                addAdditional(upTo: next.0 + distance.0)
            } else if distance.0 == 0 {
                addMissing(upTo: next.1 + distance.1)
            } else {
                compare(found[next.0], expected[next.1], at: .index(next.0), .index(next.1))
                next = (next.0 + 1, next.1 + 1)
            }
        }
        addAdditional(upTo: ends.0)
        addMissing(upTo: ends.1)
        guard !surplus.isEmpty else { return }
        let size = "\(found.count) \(found.count == 1 ? "element" : "elements")"
        let comparison = found.count == expected.count ? "which differ" : "not \(expected.count)"
        let more = surplus.count > 3 ? "; and \(surplus.count - 3) more" : ""
        let missing = surplus.count == 1 ? firstMissing.map(JSONPointer.Token.index) : nil
        add("has \(size), \(comparison): \(surplus.prefix(3).joined(separator: "; "))\(more)", of: missing)
    }

    /// Returns how many elements of two lists whose first elements may differ precede the nearest elements that match: the
    /// number in the value and in the expected list. `(1, 1)` if there are none, or if too many pairs were compared.
    private mutating func distance(of found: ArraySlice<JSON>, _ expected: ArraySlice<JSON>) -> (Int, Int) {
        let (first, second) = (found.startIndex, expected.startIndex)
        for step in 0..<Self.window {
            for distance in step == 0 ? [(0, 0)] : [(step, 0), (0, step), (step, step)]
            where distance.0 < found.count && distance.1 < expected.count {
                guard comparisonsLeft > 0 else { return (1, 1) }
                comparisonsLeft -= 1
                if matches(found[first + distance.0], expected[second + distance.1]) {
                    return step == 0 ? (1, 1) : distance
                }
            }
        }
        return (1, 1)
    }

    /// Whether a value is the expected one, or contains it.
    private func matches(_ found: JSON, _ expected: JSON) -> Bool {
        guard expectation == .contains else { return found == expected }
        switch (found, expected) {
        case (.object(let object), .object(let members)):
            return members.allSatisfy { name, value in object[name].map { matches($0, value) } ?? false }
        case (.array(let elements), .array(let values)):
            return elements.count == values.count && zip(elements, values).allSatisfy { matches($0, $1) }
        default: return found == expected
        }
    }

    /// `element 3 is missing: {"id":3}`
    private static func sentence(_ elements: Range<Int>, _ word: String, _ first: String?) -> String {
        let value = first.map { ": \($0)" } ?? ""
        guard elements.count > 1 else { return "element \(elements.lowerBound) is \(word)\(value)" }
        let more = first == nil ? "" : ", …"
        return "elements \(elements.lowerBound) to \(elements.upperBound - 1) are \(word)\(value)\(more)"
    }

    private mutating func add(
        _ predicate: @autoclosure () -> String,
        of missing: JSONPointer.Token? = nil
    ) {
        count += 1
        guard differences.count < limit else { return }
        let location = path.map(\.step).joined()
        let message = location.isEmpty ? predicate() : "at \(location) \(predicate())"
        differences.append(Difference(path: expectedPath + [missing].compactMap { $0 }, message: message))
    }

    private static func shown(_ value: JSON) -> String {
        JSONWriter().excerpt(of: value, 120)
    }
}

extension JSONPointer.Token {
    /// `.name` or `[0]`
    fileprivate var step: String {
        switch self {
        case .name(let name): ".\(name)"
        case .index(let index): "[\(index)]"
        }
    }
}
