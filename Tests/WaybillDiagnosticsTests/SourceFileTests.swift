import Testing
import WaybillDiagnostics

@Suite(.timeLimit(.minutes(5))) struct SourceFileTests {
    @Test func `lines end at any of the three kinds of line break`() {
        let file = SourceFile(name: "f", text: "a\nb\r\nc\rd")
        #expect(file.lineCount == 4)
        #expect(
            (1...4).map { String(decoding: file.bytes[file.byteRange(ofLine: $0)], as: UTF8.self) } == [
                "a", "b", "c", "d",
            ]
        )
        #expect([0, 2, 5, 7].map { file.line(at: $0) } == [1, 2, 3, 4])
        #expect(file.line(at: 100) == 4 && file.line(at: -1) == 1)
    }

    @Test func `the columns of very long lines are correct`() {
        // Characters of one to four bytes, so that every kind of boundary falls inside one of them.
        let piece = "aü日😀"
        let file = SourceFile(name: "f", text: "short\n" + String(repeating: piece, count: 50_000) + "\nlast")
        let start = 6
        for index in [0, 1, 6_553, 6_554, 13_107, 13_108, 49_999] {
            let offset = start + index * piece.utf8.count
            #expect(file.position(at: offset) == SourcePosition(line: 2, column: index * 4 + 1))
            #expect(file.position(at: offset + 3) == SourcePosition(line: 2, column: index * 4 + 3))
        }
        #expect(file.position(at: file.bytes.count - 5) == SourcePosition(line: 2, column: 200_001))
        #expect(file.position(at: file.bytes.count) == SourcePosition(line: 3, column: 5))
    }

    @Test func `two files with the same content are different files`() {
        let file = SourceFile(name: "f", text: "a\nb")
        #expect(file.span(2..<3) == file.span(2..<3))
        #expect(file.span(2..<3) != SourceFile(name: "f", text: "a\nb").span(2..<3))
    }

    @Test func `the end of a file of whole blocks has a position`() {
        let file = SourceFile(name: "f", bytes: Array(repeating: 0x61, count: 1 << 17))
        #expect(file.position(at: 1 << 17) == SourcePosition(line: 1, column: (1 << 17) + 1))
        #expect(file.position(at: 1 << 16) == SourcePosition(line: 1, column: (1 << 16) + 1))
    }
}

@Suite(.timeLimit(.minutes(5))) struct DiagnosticListTests {
    private func diagnostic(_ id: DiagnosticID, in name: String?) -> Diagnostic {
        Diagnostic(id, "h", at: name.map { SourceFile(name: $0, text: "text").span(0..<1) })
    }

    @Test func `a diagnostic repeated at the same location, or without one with the same help, is removed`() {
        let diagnostics = [
            diagnostic("a", in: "f"), diagnostic("b", in: "f"), diagnostic("a", in: "f"), diagnostic("a", in: "g"),
            diagnostic("a", in: nil), diagnostic("a", in: nil), Diagnostic("a", "h", at: nil, help: ["other"]),
            Diagnostic("a", "h", at: SourceFile(name: "f", text: "text").span(1..<2)),
        ]
        #expect(diagnostics.withoutRepetitions() == [0, 1, 3, 4, 6, 7].map { diagnostics[$0] })
    }
}
