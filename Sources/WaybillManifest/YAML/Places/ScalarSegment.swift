package import WaybillDiagnostics

/// A part of a scalar's text and the part of the file that it was read from.
struct ScalarSegment: Equatable {
    /// How many bytes of the text.
    var textLength: Int
    /// The bytes of the file: the same ones when `isVerbatim`, otherwise an escape or a fold that stands for the text.
    var source: Range<Int>
    /// Whether text and source are the same bytes.
    var isVerbatim: Bool

    /// Bytes that stand for themselves.
    static func verbatim(_ source: Range<Int>) -> ScalarSegment {
        ScalarSegment(textLength: source.count, source: source, isVerbatim: true)
    }

    /// Bytes that stand for others.
    static func replaced(_ source: Range<Int>, textLength: Int) -> ScalarSegment {
        ScalarSegment(textLength: textLength, source: source, isVerbatim: false)
    }
}

extension YAMLScalar {
    /// Where a range of the bytes of `text` stands in the file, also through escapes, folds and indentation.
    ///
    /// The source is looked at a second time, so this takes as long as the scalar is; it is meant for diagnostics. A part
    /// of an escape is the whole escape. A range beyond the text is cut to it.
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

    /// The place before the byte of the text at an offset, or behind the last one.
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

    /// The parts of the text in order.
    var segments: [ScalarSegment] {
        // A null in the place of an alias that leads nowhere has a place but no text.
        if text.isEmpty { return [] }
        return switch style {
        case .plain, .singleQuoted, .doubleQuoted: FlowScalarSegments.of(self)
        case .literal, .folded: BlockScalarSegments.of(self)
        }
    }
}

/// Line breaks as libyaml reads them.
enum LineBreak {
    /// The length of the line break at an offset, in the file and in the text that is made of it; `nil` if there is none.
    static func at(_ offset: Int, in bytes: [UInt8]) -> (source: Int, text: Int)? {
        guard offset < bytes.count else { return nil }
        switch bytes[offset] {
        case 0x0A:
            return (1, 1)
        case 0x0D:
            return (offset + 1 < bytes.count && bytes[offset + 1] == 0x0A ? 2 : 1, 1)
        case 0xC2 where offset + 1 < bytes.count && bytes[offset + 1] == 0x85:
            return (2, 1)
        case 0xE2 where offset + 2 < bytes.count && bytes[offset + 1] == 0x80 && bytes[offset + 2] & 0xFE == 0xA8:
            return (3, 3)  // the line and paragraph separators stay themselves
        default:
            return nil
        }
    }
}
