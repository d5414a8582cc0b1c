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
        /// The path of the part.
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

    /// Compares a value with an expected one. Lists are compared element by element.
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
        var path: [JSONPointer.Token] = []
        compare(found, expected, at: &path)
    }

    private mutating func compare(_ found: JSON, _ expected: JSON, at path: inout [JSONPointer.Token]) {
        switch (found, expected) {
        case (.object(let object), .object(let members)):
            for (name, value) in members {
                if let inner = object[name] {
                    path.append(.name(name))
                    compare(inner, value, at: &path)
                    path.removeLast()
                } else {
                    add("has no '\(name)'", at: path, of: .name(name))
                }
            }
            guard expectation == .equals else { return }
            for (name, value) in object where members[name] == nil {
                add("has the additional member '\(name)', which is \(Self.shown(value))", at: path)
            }
        case (.array(let elements), .array(let values)):
            if elements.count != values.count {
                add(
                    "has \(elements.count) \(elements.count == 1 ? "element" : "elements"), not \(values.count)",
                    at: path
                )
                if expectation == .contains { return }
            }
            for (index, (element, value)) in zip(elements, values).enumerated() {
                path.append(.index(index))
                compare(element, value, at: &path)
                path.removeLast()
            }
        default:
            let isHidden = hidesExpected
            if found != expected {
                add("is \(Self.shown(found)), not \(isHidden ? "***" : Self.shown(expected))", at: path)
            }
        }
    }

    private mutating func add(
        _ predicate: @autoclosure () -> String,
        at path: [JSONPointer.Token],
        of missing: JSONPointer.Token? = nil
    ) {
        count += 1
        guard differences.count < limit else { return }
        let location = path.map(\.step).joined()
        let message = location.isEmpty ? predicate() : "at \(location) \(predicate())"
        differences.append(Difference(path: path + [missing].compactMap { $0 }, message: message))
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
