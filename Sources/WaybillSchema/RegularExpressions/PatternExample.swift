extension RegularExpression {
    /// Returns a short string that an ECMAScript pattern matches; `nil` if none is found. Look-around and word boundaries are
    /// not considered.
    ///
    /// - Parameter count: The number of code points that the string should at least have.
    package static func example(of source: String, atLeast count: Int) -> String? {
        var parser = PatternParser(source, .ecmaScript)
        guard let syntax = try? parser.parse() else { return nil }
        var example = PatternExample()
        guard example.append(syntax) else { return nil }
        let missing = count - example.scalars.count
        guard missing > 0 else { return example.text }
        var longer = PatternExample()
        longer.extra = missing
        guard longer.append(syntax) else { return nil }
        return longer.text
    }
}

/// Makes a string that a pattern matches: the first alternatives and the least repetitions.
private struct PatternExample {
    private(set) var scalars = String.UnicodeScalarView()
    /// The number of repetitions to add where the pattern permits them.
    var extra = 0
    private var groups: [Int: String.UnicodeScalarView] = [:]

    /// The maximum number of code points.
    private static let longest = 100_000
    /// The characters that are preferred for a set.
    private static let usual = "a0A -_.".unicodeScalars.map(\.value)

    var text: String { String(scalars) }

    /// Appends what matches a part of a pattern; returns whether there is such a string.
    mutating func append(_ syntax: PatternSyntax) -> Bool {
        guard scalars.count <= Self.longest else { return false }
        switch syntax {
        case .scalar(let value): return append(value)
        case .set(let set):
            let value = Self.usual.first(where: set.contains) ?? (UInt32(0x21)...0x2FFF).first(where: set.contains)
            return value.map { append($0) } ?? false
        case .sequence(let parts): return parts.allSatisfy { append($0) }
        case .alternatives(let alternatives): return alternatives.first.map { append($0) } ?? true
        case .capture(let number, let part):
            let start = scalars.count
            guard append(part) else { return false }
            groups[number] = String.UnicodeScalarView(scalars.dropFirst(start))
            return true
        case .repetition(let part, let least, let most, _, _):
            let added = min(extra, (most ?? .max) - least)
            extra -= added
            for _ in 0..<(least + added) where !append(part) { return false }
            return true
        case .start, .end, .wordBoundary, .lookAround: return true
        case .backreference(let number):
            scalars.append(contentsOf: groups[number] ?? String.UnicodeScalarView())
            return true
        }
    }

    private mutating func append(_ value: UInt32) -> Bool {
        guard let scalar = Unicode.Scalar(value) else { return false }
        scalars.append(scalar)
        return true
    }
}
