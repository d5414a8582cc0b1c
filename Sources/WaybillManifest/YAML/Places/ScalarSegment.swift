package import WaybillDiagnostics

/// A part of a scalar's string and the part of the file that it was read from.
struct ScalarSegment: Equatable {
    /// The number of bytes of the string.
    var textLength: Int
    /// The bytes of the file: the same ones if `isVerbatim`, otherwise an escape or a fold that produces the string.
    var source: Range<Int>
    /// Whether the string and the source are the same bytes.
    var isVerbatim: Bool

    /// Returns a segment whose bytes are the string itself.
    static func verbatim(_ source: Range<Int>) -> ScalarSegment {
        ScalarSegment(textLength: source.count, source: source, isVerbatim: true)
    }

    /// Returns a segment whose bytes produce a different string.
    static func replaced(_ source: Range<Int>, textLength: Int) -> ScalarSegment {
        ScalarSegment(textLength: textLength, source: source, isVerbatim: false)
    }
}

extension YAMLScalar {
    /// Returns the span in the file of a range of the bytes of `text`, through escapes, folds and indentation.
    ///
    /// The source is read again, which takes time linear in the length of the scalar; use it for diagnostics only. A
    /// range in an escape yields the whole escape. A range beyond the end is clamped.
    package func span(ofUTF8 range: Range<Int>) -> SourceSpan {
        let count = text.utf8.count
        let wanted = range.clamped(to: 0..<count)
        if wanted.isEmpty {
            let offset = min(max(range.lowerBound, 0), count)
            let place = place(ofTextOffset: offset)
            return span.file.span(place..<place)
        }
        var lower: Int?
        var textOffset = 0
        for segment in segments {
            let textEnd = textOffset + segment.textLength
            if lower == nil, wanted.lowerBound < textEnd {
                lower = segment.source.lowerBound + (segment.isVerbatim ? wanted.lowerBound - textOffset : 0)
            }
            if let lower, wanted.upperBound <= textEnd {
                let upper =
                    segment.isVerbatim
                    ? segment.source.lowerBound + wanted.upperBound - textOffset : segment.source.upperBound
                return span.file.span(lower..<upper)
            }
            textOffset = textEnd
        }
        return span
    }

    /// Returns the location before the byte of the string at an offset, or after the last byte.
    private func place(ofTextOffset offset: Int) -> Int {
        var textOffset = 0
        var end = style == .singleQuoted || style == .doubleQuoted ? span.range.lowerBound + 1 : span.range.lowerBound
        for segment in segments {
            let textEnd = textOffset + segment.textLength
            if offset < textEnd {
                return segment.source.lowerBound + (segment.isVerbatim ? offset - textOffset : 0)
            }
            (textOffset, end) = (textEnd, segment.source.upperBound)
        }
        return end
    }

    /// The parts of the string, in order.
    var segments: [ScalarSegment] {
        // A null that replaces an unknown alias has a location but no content.
        if text.isEmpty { return [] }
        return switch style {
        case .plain, .singleQuoted, .doubleQuoted: FlowScalarSegments.of(self)
        case .literal, .folded: BlockScalarSegments.of(self)
        }
    }
}

/// Line breaks as libyaml recognizes them.
enum LineBreak {
    /// Returns the length of the line break at an offset, in the file and in the resulting string; `nil` if there is
    /// none.
    static func at(_ offset: Int, in bytes: [UInt8]) -> (source: Int, text: Int)? {
        guard offset < bytes.count else { return nil }
        switch bytes[offset] {
        case 0x0A:
            return (1, 1)
        case 0x0D:
            return (offset + 1 < bytes.count && bytes[offset + 1] == 0x0A ? 2 : 1, 1)
        default:
            return nil
        }
    }
}
