import Testing
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct JSONPointerTests {
    /// The document of RFC 6901, section 5.
    private let document: JSON = [
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8,
        "00": 9, "7": "seven",
    ]

    @Test(
        arguments: [
            ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3),
            ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8), ("/00", 9), ("/7", "seven"),
        ] as [(String, JSON)]
    )
    func `a pointer resolves to a value and is written as it was read`(text: String, value: JSON) throws {
        let pointer = try #require(JSONPointer(parsing: text))
        #expect(pointer.resolve(in: document) == value)
        #expect(pointer.description == text)
    }

    @Test func `the empty pointer refers to the whole document`() {
        #expect(JSONPointer(parsing: "")?.resolve(in: document) == document)
    }

    @Test(arguments: [
        "/foo/2", "/foo/00", "/foo/-", "/foo/-1", "/foo/x", "/foo/99999999999999999999", "/foo/0/0", "/x",
    ])
    func `a pointer to a missing value resolves to nil`(text: String) throws {
        let pointer = try #require(JSONPointer(parsing: text))
        #expect(pointer.resolve(in: document) == nil)
    }

    @Test(arguments: ["foo", "/~", "/~2", "/a~", "#/foo"])
    func `a string that is not a pointer is rejected`(text: String) {
        #expect(JSONPointer(parsing: text) == nil)
    }

    @Test func `an index and a name with the same digits are equal`() {
        let pointer = JSONPointer([.name("foo"), .name("1")])
        #expect(pointer == JSONPointer().appending(.name("foo")).appending(.index(1)))
        #expect(pointer == JSONPointer(parsing: "/foo/1"))
        #expect(Set([pointer]).contains(JSONPointer([.name("foo"), .index(1)])))
        #expect(pointer.resolve(in: document) == "baz")
        #expect(JSONPointer([.name("e\u{301}")]) != JSONPointer([.name("\u{E9}")]))
    }
}
