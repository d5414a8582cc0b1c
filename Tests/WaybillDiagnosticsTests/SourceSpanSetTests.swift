import Testing
import WaybillDiagnostics

@Suite(.timeLimit(.minutes(5))) struct SourceSpanSetTests {
    private static let file = SourceFile(name: "a", bytes: Array(repeating: 0x61, count: 40))

    private static func set(_ ranges: [Range<Int>]) -> SourceSpanSet {
        var set = SourceSpanSet()
        for range in ranges { set.insert(file.span(range)) }
        return set
    }

    @Test(arguments: [
        (5..<9, false), (9..<10, false), (9..<11, true), (14..<15, true), (15..<20, false), (3..<30, true),
        (10..<10, true), (15..<15, true), (16..<16, false), (22..<22, true), (20..<23, true), (19..<22, true),
        (23..<25, false), (30..<32, true), (34..<36, true), (37..<38, false),
    ])
    func `a span overlaps spans with common bytes, and an empty span overlaps spans it touches`(
        range: Range<Int>,
        expected: Bool
    ) {
        let set = Self.set([30..<33, 10..<12, 22..<22, 11..<15, 33..<37])
        #expect(set.overlaps(Self.file.span(range)) == expected)
    }

    @Test func `the insertion order does not matter`() {
        var random = [7, 3, 11, 5, 2, 13]
        for _ in 0..<60 {
            random = random.map { ($0 * 17 + 5) % 31 }
            let ranges = random.map { $0..<$0 + $0 % 4 }
            let (first, second) = (Self.set(ranges), Self.set(ranges.reversed()))
            for start in 0..<36 {
                for end in start...start + 3 {
                    let span = Self.file.span(start..<end)
                    let isExpected = ranges.contains { other in
                        start == end || other.isEmpty
                            ? start <= other.upperBound && other.lowerBound <= end : other.overlaps(start..<end)
                    }
                    #expect(first.overlaps(span) == isExpected)
                    #expect(second.overlaps(span) == isExpected)
                }
            }
        }
    }

    @Test func `spans of different files never overlap`() {
        let other = SourceFile(name: "a", bytes: Self.file.bytes)
        var both = Self.set([3..<5])
        #expect(!both.overlaps(other.span(3..<5)))
        var more = SourceSpanSet()
        more.insert(other.span(3..<5))
        both.formUnion(more)
        #expect(both.overlaps(other.span(4..<9)))
        #expect(both.overlaps(Self.file.span(4..<9)))
    }
}
