import WaybillExpressions

/// The paths that match an endpoint: its path, with each `${…}` as a wildcard.
package struct PathPattern: Sendable, Equatable, CustomStringConvertible {
    /// A part of the pattern.
    enum Part: Sendable, Equatable {
        /// Exactly these units.
        case text([UInt16])
        /// Any text inside one segment.
        case any(atLeast: Int)
        /// Any text, also across segments.
        case anySegments
    }

    /// How specific a segment is, with the most specific first.
    private enum Closeness: Comparable {
        case text
        case mixed(wildcards: Int)
        case wildcard
        case anySegments
    }

    /// The path as it was written.
    package let description: String

    private let parts: [Part]
    private let closeness: [Closeness]

    /// Creates the pattern of a path as written in a manifest: `/users/${inputs.id}/v${n}?all=1`.
    ///
    /// `${…}` matches any text inside one segment, and at least one character if it is the whole segment; `${raw(…)}`
    /// also matches several segments; `$${` is `${` itself. A query and a fragment are ignored. Percent-encoded and
    /// plain characters are equal, except for the slash.
    ///
    /// - Parameter written: The path in messages, if it was not written like that.
    package init(template: String, writtenAs written: String? = nil) {
        let (parts, description) = Self.path(of: template)
        self.parts = parts
        self.description = written ?? description
        closeness = Self.closeness(of: parts)
    }

    /// Whether the path of a request matches the pattern.
    package func matches(path: String) -> Bool {
        matches(PathUnits.of(path.utf8))
    }

    /// Whether this pattern is more specific than another one that matches the same path: text comes before wildcards,
    /// from left to right.
    func isCloser(than other: PathPattern) -> Bool {
        closeness.lexicographicallyPrecedes(other.closeness)
    }

    /// Tracks all positions at which the parts so far can end, so that the time is at most the length of the pattern
    /// times that of the path.
    func matches(_ path: [UInt16]) -> Bool {
        var ends = [0]
        for part in parts {
            ends = Self.ends(of: part, from: ends, in: path)
            if ends.isEmpty { return false }
        }
        return ends.last == path.count
    }

    private static func ends(of part: Part, from starts: [Int], in path: [UInt16]) -> [Int] {
        switch part {
        case .text(let text):
            return starts.filter { path[$0...].starts(with: text) }.map { $0 + text.count }
        case .any(let least):
            var ends: [Int] = []
            var segmentEnd = -1
            for start in starts {
                if start > segmentEnd {
                    segmentEnd = path[start...].firstIndex(of: PathUnits.separator) ?? path.endIndex
                }
                let first = max(start + least, (ends.last ?? -1) + 1)
                if first <= segmentEnd { ends += first...segmentEnd }
            }
            return ends
        case .anySegments:
            return Array(starts[0]...path.count)
        }
    }

    /// The parts of a template up to a query or fragment, and that part of the template. No two adjacent parts are texts.
    private static func path(of template: String) -> (parts: [Part], description: String) {
        var lexer = TemplateLexer(Array(template.utf8)[...])
        var parts: [Part] = []
        var text: [UInt8] = []
        var end = lexer.bytes.count
        tokens: while let token = lexer.next() {
            let expression: Range<Int>
            switch token {
            case .literal(let range):
                if let mark = range.first(where: { "?#".utf8.contains(lexer.bytes[$0]) }) {
                    text += lexer.bytes[range.lowerBound..<mark]
                    end = mark
                    break tokens
                }
                text += lexer.bytes[range]
                continue
            case .escape:
                text += "${".utf8
                continue
            case .expression(let range): expression = range
            case .unclosed(let start, _): expression = start + 2..<lexer.bytes.count
            }
            if !text.isEmpty { parts.append(.text(PathUnits.of(text))) }
            text = []
            let isRaw = lexer.bytes[expression].drop { $0 == UInt8(ascii: " ") }.starts(with: "raw(".utf8)
            parts.append(isRaw ? .anySegments : .any(atLeast: 0))
        }
        if !text.isEmpty { parts.append(.text(PathUnits.of(text))) }
        for index in parts.indices where parts[index] == .any(atLeast: 0) {
            let isWhole = isSlash(in: parts[..<index].last, \.last) && isSlash(in: parts[(index + 1)...].first, \.first)
            if isWhole { parts[index] = .any(atLeast: 1) }
        }
        return (parts, String(decoding: lexer.bytes[..<end], as: UTF8.self))
    }

    /// Whether the first or last unit of a part is a separator, or there is no part.
    private static func isSlash(in part: Part?, _ end: KeyPath<[UInt16], UInt16?>) -> Bool {
        guard let part else { return true }
        guard case .text(let units) = part else { return false }
        return units[keyPath: end] == PathUnits.separator
    }

    private static func closeness(of parts: [Part]) -> [Closeness] {
        var segments: [Closeness] = []
        var hasText = false
        var wildcards = 0
        var spans = false
        func current() -> Closeness {
            if spans { return .anySegments }
            if wildcards == 0 { return .text }
            return hasText ? .mixed(wildcards: wildcards) : .wildcard
        }
        for part in parts {
            switch part {
            case .any: wildcards += 1
            case .anySegments: spans = true
            case .text(let units):
                for unit in units {
                    guard unit == PathUnits.separator else {
                        hasText = true
                        continue
                    }
                    segments.append(current())
                    (hasText, wildcards, spans) = (false, 0, false)
                }
            }
        }
        return segments + [current()]
    }
}

/// A path as its percent-decoded bytes, in which the `/` between segments differs from a decoded `%2F`.
enum PathUnits {
    /// The separator between two segments.
    static let separator: UInt16 = 256

    /// The units of a path. A `%` that does not start an escape is a plain character.
    static func of(_ path: some Sequence<UInt8>) -> [UInt16] {
        var units: [UInt16] = []
        for byte in path {
            units.append(byte == UInt8(ascii: "/") ? separator : UInt16(byte))
            if let value = escape(units.suffix(3)) { units.replaceSubrange((units.count - 3)..., with: [value]) }
        }
        return units
    }

    private static func escape(_ units: ArraySlice<UInt16>) -> UInt16? {
        guard units.count == 3, units.first == UInt16(UInt8(ascii: "%")) else { return nil }
        return units.dropFirst().reduce(0) { value, unit in
            guard let value, let digit = Unicode.Scalar(unit).flatMap({ Character($0).hexDigitValue }) else {
                return nil
            }
            return value << 4 | UInt16(digit)
        }
    }
}
