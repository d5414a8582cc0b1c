import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct YAMLMutationTests {
    static let seeds: [String] = [
        "a: 1\nb: [x, 'y', \"z\\n\\u00fc\"]\nc: {d: e}\nf: |2\n    g\n\n  h\n",
        "# comment\nname: &n \"t\\x41 \\\n   u\"\nlist:\n- *n\n- !!str 1\n- >-\n  folded\n  text\n\n    more\n\n  end\n- |+\n  kept\n\n...\n",
        "base: &b {x: 1, y: 'it''s'}\nall:\n  <<: *b\n  z:   plain text\n    on two lines\n\n    and three  # comment\n",
        "? complex\n: - a\n  - b:   \n    c: ~\n? [k, e]\n: \"ü€𝄞\"\n---\nsecond\r\n--- \r\n- a  b  c\r\n",
        "%YAML 1.2\n---\n- - - 1\n    - 2\n- {a: , b, ? c : d}\n- !<tag:yaml.org,2002:str> x\n- ''\n- \"\"\n- |\n",
    ]

    @Test(arguments: seeds)
    func `the initial sources are valid`(seed: String) {
        let (documents, diagnostics) = YAMLReader().readStream(SourceFile(yaml: seed))
        #expect(diagnostics.allSatisfy { $0.id == "complex-key" })
        #expect(!documents.isEmpty)
        YAMLInvariants.check(SourceFile(yaml: seed))
    }

    @Test(arguments: seeds.indices)
    func `mutated sources never crash the reader, and every span is within the source`(seed: Int) {
        var random = SplitMix(state: UInt64(seed + 1))
        let alphabet =
            Array("\n\n  \t:-?[]{},#&*!|>'\"\\%@`~<=0a.\r".utf8) + [0, 1, 0x7F, 0x80, 0xC3, 0xE2, 0xFF, 0xEF]
        var readable = 0
        for _ in 0..<1500 {
            var bytes = Array(Self.seeds[seed].utf8)
            for _ in 0...random.next(below: 4) {
                let index = random.next(below: bytes.count)
                switch random.next(below: 4) {
                case 0: bytes[index] = alphabet[random.next(below: alphabet.count)]
                case 1: bytes.insert(alphabet[random.next(below: alphabet.count)], at: index)
                case 2 where bytes.count > 1: bytes.remove(at: index)
                default:
                    let end = min(bytes.count, index + random.next(below: 12))
                    bytes.insert(contentsOf: Array(bytes[index..<end]), at: random.next(below: bytes.count))
                }
            }
            if YAMLInvariants.check(SourceFile(name: "mutated", bytes: bytes)) > 0 { readable += 1 }
        }
        #expect(readable > 100, "too few mutations leave something to look at")
    }
}

/// Properties of every source, valid or not.
enum YAMLInvariants {
    /// Reads a source with both functions, and checks the spans of all values, diagnostics and parts of scalars.
    ///
    /// - Returns: The number of values that were checked.
    @discardableResult
    static func check(_ file: SourceFile) -> Int {
        let (documents, diagnostics) = YAMLReader().readStream(file)
        for diagnostic in diagnostics + YAMLReader().read(file).diagnostics {
            let labels = [diagnostic.primary].compactMap { $0 } + diagnostic.secondary
            let areWithin = labels.allSatisfy { $0.span.range.upperBound <= file.bytes.count }
            #expect(areWithin, "\(diagnostic) in \(file.bytes)")
        }
        var nodes = documents
        var count = 0
        while let node = nodes.popLast() {
            let isWithin = node.span.range.upperBound <= file.bytes.count
            if !isWithin { Issue.record("\(node.span.range) in \(file.bytes)") }
            _ = node.json
            count += 1
            switch node.content {
            case .scalar(let scalar): check(scalar, in: file)
            case .sequence(let elements): nodes += elements
            case .mapping(let mapping): nodes += mapping.entries.flatMap { [$0.key, $0.value] }
            }
        }
        return count
    }

    /// Each byte of a scalar has a span in the source: itself, or a part of an escape, a doubled quote or a fold.
    private static func check(_ scalar: YAMLScalar, in file: SourceFile) {
        var last = scalar.span.range.lowerBound
        for (offset, byte) in scalar.text.utf8.enumerated() {
            let range = scalar.span(ofUTF8: offset..<offset + 1).range
            let source = file.bytes[range]
            // A kept line break at the end of a block is after the last line with text.
            let isBlock = scalar.style == .literal || scalar.style == .folded
            let isInside = isBlock || scalar.span.range.upperBound >= range.upperBound
            let isItself = source.elementsEqual([byte])
            let isEscape = source.first == UInt8(ascii: "\\") || source.elementsEqual("''".utf8)
            let isBreak = source.contains { $0 == 0x0A || $0 == 0x0D } || source.contains(0x85) || source.contains(0xE2)
            if !(isInside && (isItself || isEscape || isBreak) && range.lowerBound >= last) {
                Issue.record("byte \(offset) of \(scalar.text.debugDescription) is at \(range) in \(file.bytes)")
                return
            }
            last = range.lowerBound
        }
    }
}
