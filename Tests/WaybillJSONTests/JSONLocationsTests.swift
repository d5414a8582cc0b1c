import Testing
import WaybillDiagnostics
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct JSONLocationsTests {
    /// Documents that make it hard to find locations: escapes, tabs, a byte order mark, repeated names, nesting.
    static let texts = [
        #"{"a": {"b": [1, {"c": "x"}]}, "d": null}"#,
        "\u{FEFF}[1.5e3, true,false , null,\t\"a\\\"b\\\\\", [], {}, [[[]]]]",
        "{\r\n\t\"caf\\u00e9\": 1,\r\n\t\"cafe\u{301}\": 2, \"a/b\": 3, \"m~n\": 4, \"\": 5\r\n}\r\n",
        #"{"a": {"x": 1, "y": [2]}, "b": 0, "a": {"x": "last"}}"#,
        #"{"]": "}", "{": "[", ",": ":", "\\": "\\\""}"#,
        " 12 ",
        #""text""#,
    ]

    private static func parse(_ text: String) throws -> JSON {
        try JSONParser().parse(Array(text.utf8))
    }

    /// The pointers to a value and to all values inside it.
    private static func pointers(in value: JSON, at pointer: JSONPointer = JSONPointer()) -> [JSONPointer] {
        let inner: [JSONPointer] =
            switch value {
            case .array(let elements):
                elements.enumerated().flatMap { pointers(in: $0.element, at: pointer.appending(.index($0.offset))) }
            case .object(let members):
                members.flatMap { pointers(in: $0.value, at: pointer.appending(.name($0.name))) }
            default: []
            }
        return [pointer] + inner
    }

    private func text(_ span: SourceSpan) -> String {
        String(decoding: span.file.bytes[span.range], as: UTF8.self)
    }

    @Test(arguments: texts)
    func `the source at a pointer's location is the value the pointer resolves to`(_ source: String) throws {
        let file = SourceFile(name: "a.json", text: source)
        let document = try Self.parse(source)
        let pointers = Self.pointers(in: document)
        let places = JSONLocations(of: pointers, in: file)
        for pointer in pointers {
            let span = try #require(places.span(at: pointer), "\(pointer)")
            #expect(try Self.parse(text(span)) == pointer.resolve(in: document), "\(pointer)")
            if case .name(let name) = pointer.tokens.last {
                let key = try #require(places.keySpan(at: pointer), "\(pointer)")
                #expect(try Self.parse(text(key)) == .string(name))
            } else {
                #expect(places.keySpan(at: pointer) == nil)
            }
        }
        #expect(text(places.span) == text(try #require(places.span(at: JSONPointer()))))
    }

    @Test func `the last location of a repeated name is used`() throws {
        let file = SourceFile(name: "a.json", text: #"{"a": {"x": 1, "y": 2}, "a": {"x": 3}}"#)
        let pointers = ["/a", "/a/x", "/a/y"].compactMap { JSONPointer(parsing: $0) }
        let places = JSONLocations(of: pointers, in: file)
        #expect(places.keySpan(at: pointers[0])?.range == 24..<27)
        #expect(places.span(at: pointers[1]).map(text) == "3")
        #expect(places.span(at: pointers[2]) == nil)
    }

    @Test func `a part of a file can be a document of its own`() throws {
        let file = SourceFile(name: "a.ndjson", text: "{\"a\": 1}\n{\"a\": 2}\n")
        let pointer = JSONPointer([.name("a")])
        let places = JSONLocations(of: [pointer], in: file, part: 9..<17)
        #expect(places.span.range == 9..<17)
        #expect(places.span(at: pointer)?.range == 15..<16)
        #expect(places.span(at: pointer)?.start == SourcePosition(line: 2, column: 7))
    }

    @Test func `a location that was not requested or does not exist is not found`() {
        let file = SourceFile(name: "a.json", text: #"{"a": [1, 2], "b": 3}"#)
        let missing = ["/c", "/a/2", "/a/x", "/b/0"].compactMap { JSONPointer(parsing: $0) }
        let places = JSONLocations(of: missing, in: file)
        for pointer in missing { #expect(places.span(at: pointer) == nil, "\(pointer)") }
        #expect(places.span(at: JSONPointer([.name("b")])).map(text) == "3", "it is on the way to what was asked for")
        #expect(places.span(at: JSONPointer([.index(7)])) == nil)
    }

    @Test(arguments: texts)
    func `the locations in a truncated or damaged document are within its bounds`(_ source: String) throws {
        let bytes = Array(source.utf8)
        let pointers = Self.pointers(in: try Self.parse(source))
        for length in bytes.indices {
            for ending in [[], [UInt8(ascii: "\\")], [UInt8(ascii: "]")], [UInt8(ascii: "}"), 0xFF]] {
                let file = SourceFile(name: "a.json", bytes: bytes[..<length] + ending)
                let places = JSONLocations(of: pointers, in: file)
                let spans = pointers.flatMap { [places.span(at: $0), places.keySpan(at: $0)] }.compactMap(\.self)
                #expect((spans + [places.span]).allSatisfy { $0.range.upperBound <= file.bytes.count })
            }
        }
    }

    @Test func `pointers and values of any depth do not overflow the stack`() throws {
        let depth = 100_000
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let file = SourceFile(name: "deep.json", text: text)
        let pointer = JSONPointer(Array(repeating: .index(0), count: depth - 1))
        let shallow = JSONPointer(Array(repeating: .index(0), count: 500))
        let places = JSONLocations(of: [pointer, shallow], in: file)
        #expect(places.span(at: shallow)?.range == 500..<2 * depth - 500)
        #expect(places.span(at: pointer) == nil)
    }
}
