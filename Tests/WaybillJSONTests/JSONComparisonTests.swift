import Testing
import WaybillJSON

@Suite(.timeLimit(.minutes(1))) struct JSONComparisonTests {
    private func messages(_ found: String, _ expected: String, contains: Bool = false) throws -> [String] {
        let comparison = JSONComparison(
            of: try JSONParser().parse(Array(found.utf8)),
            with: try JSONParser().parse(Array(expected.utf8)),
            contains ? .contains : .equals,
            limit: 20
        )
        #expect(comparison.count == comparison.differences.count)
        return comparison.differences.map { difference in
            "\(JSONPointer(difference.path).description): \(difference.message)"
        }
    }

    @Test(arguments: [
        ("[]", "[]", []),
        ("[1, 2, 3, 4]", "[1, 3, 4]", [": has 4 elements, not 3: element 1 is not expected: 2"]),
        ("[1, 3]", "[1, 2, 3]", ["/1: has 2 elements, not 3: element 1 is missing: 2"]),
        ("[1, 2, 3, 4]", "[1, 5, 6, 4]", ["/1: at [1] is 2, not 5", "/2: at [2] is 3, not 6"]),
        ("[7, 8, 9]", "[]", [": has 3 elements, not 0: elements 0 to 2 are not expected: 7, …"]),
        ("[1]", "[2, 1]", ["/0: has 1 element, not 2: element 0 is missing: 2"]),
        // One element moved: it is missing in one place, and not expected in another.
        (
            "[2, 3, 4, 1]", "[1, 2, 3, 4]",
            [": has 4 elements, which differ: element 0 is missing: 1; element 3 is not expected: 1"]
        ),
        // Indices after a missing element: of the value in the message, of the expected value in the path.
        (
            #"{"a": [{"id": 2}, {"id": 3, "n": 1}, {"id": 4}]}"#,
            #"{"a": [{"id": 1}, {"id": 2}, {"id": 3, "n": 2}, {"id": 4}]}"#,
            ["/a/2/n: at .a[1].n is 1, not 2", #"/a/0: at .a has 3 elements, not 4: element 0 is missing: {"id":1}"#]
        ),
    ])
    func `a missing or additional element of a list is one difference`(
        found: String,
        expected: String,
        differences: [String]
    ) throws {
        #expect(try messages(found, expected) == differences)
    }

    @Test func `elements that contain the expected ones are aligned, too`() throws {
        let found = #"[{"id": 1, "at": "a"}, {"id": 2, "at": "b"}, {"id": 3, "at": "c"}]"#
        #expect(
            try messages(found, #"[{"id": 1}, {"id": 3}]"#, contains: true)
                == [#": has 3 elements, not 2: element 1 is not expected: {"id":2,"at":"b"}"#]
        )
        #expect(try messages(found, #"[{"id": 1}, {"id": 2}, {"at": "c"}]"#, contains: true).isEmpty)
    }

    @Test func `one of many records is missing, another is not expected, and one is changed`() throws {
        func records(without missing: Int, price: Int) -> String {
            let records = (0..<1_000).filter { $0 != missing }.map {
                "{\"id\":\($0),\"price\":\($0 == 500 ? price : 1)}"
            }
            return "[\(records.joined(separator: ","))]"
        }
        #expect(
            try messages(records(without: 17, price: 2), records(without: 940, price: 1)) == [
                "/500/price: at [499].price is 2, not 1",
                ": has 999 elements, which differ: element 17 is missing: {\"id\":17,\"price\":1}; "
                    + "element 939 is not expected: {\"id\":940,\"price\":1}",
            ]
        )
    }

    /// Aligning them would take hours.
    @Test func `long lists without any equal elements are compared by index`() throws {
        let found = JSON.array((0..<200_000).map { .number(JSONNumber($0)) })
        let expected = JSON.array((0..<199_999).map { .number(JSONNumber(-1 - $0)) })
        let comparison = JSONComparison(of: found, with: expected, .equals, limit: 1)
        #expect(comparison.count == 200_000)
        // Each level of a nested list is not compared again and again.
        var (left, right) = (JSON.array([1, 2]), JSON.array([1, 3]))
        for _ in 0..<400 { (left, right) = (.array([1, left]), .array([1, right])) }
        #expect(JSONComparison(of: left, with: right, .contains, limit: 1).count == 1)
    }
}
