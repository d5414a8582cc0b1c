import Testing
import Waybill
import WaybillDiagnostics

/// JSON values in the public API.
@Suite(.timeLimit(.minutes(5))) struct ValueTests {
    private struct Order: Decodable, Equatable {
        enum Kind: String, Decodable { case book, bicycle }
        var id: Int
        var total: Double
        var kind: Kind
        var note: String?
        var tags: [String]
        var size: [String: UInt8]
        var paid: Bool
    }

    @Test func `values are written as literals and read by kind`() {
        let value: JSONValue = ["a": [1, 2.5, true, "x"], "b": ["c": .null]]
        #expect(value["a"]?[0]?.int == 1)
        #expect(value["a"]?[1]?.double == 2.5)
        #expect(value["a"]?[2]?.bool == true)
        #expect(value["a"]?[3]?.string == "x")
        #expect(value["b"]?["c"]?.kind == .null)
        #expect(value["a"]?[4] == nil && value["x"] == nil)
        #expect(value.members?.map(\.name) == ["a", "b"])
        #expect(value.description == #"{"a":[1,2.5,true,"x"],"b":{"c":null}}"#)
    }

    @Test func `numbers keep their digits`() throws {
        let value = try #require(JSONValue(parsing: "12345678901234567890.10"))
        #expect(value.digits == "12345678901234567890.10")
        #expect(value == .number(digits: "12345678901234567890.1"))
        #expect(value.int == nil)
        #expect(JSONValue.number(digits: "0x10") == nil)
        #expect(JSONValue(parsing: "{") == nil)
        #expect(JSONValue.number(.infinity) == .null)
    }

    @Test func `a value can be decoded as a type of the program`() throws {
        let text = """
            [{"id": 1.0, "total": 12.50, "kind": "book", "tags": [], "size": {"cm": 255}, "paid": true},
             {"id": 2, "total": 3, "kind": "bicycle", "note": "x", "tags": ["a", "b"], "size": {}, "paid": false}]
            """
        let orders = try #require(JSONValue(parsing: text)).decode([Order].self)
        #expect(
            orders == [
                Order(id: 1, total: 12.5, kind: .book, note: nil, tags: [], size: ["cm": 255], paid: true),
                Order(id: 2, total: 3, kind: .bicycle, note: "x", tags: ["a", "b"], size: [:], paid: false),
            ]
        )
        #expect(try JSONValue(parsing: "18446744073709551615")?.decode(UInt64.self) == .max)
        #expect(try JSONValue(parsing: "[1, null]")?.decode([Int?].self) == [1, nil])
        #expect(try JSONValue(parsing: "[[1], [2, 3]]")?.decode([[Int]].self) == [[1], [2, 3]])
    }

    @Test(arguments: [
        (#"[{"id": "1"}]"#, "[0].id"), (#"[{"id": 1.5}]"#, "[0].id"), (#"[{"id": 1, "total": null}]"#, "[0].total"),
        (#"[{"id": 1, "total": 1e400}]"#, "[0].total"), (#"{"id": 1}"#, ""),
        (#"[{"id": 99999999999999999999}]"#, "[0].id"),
        (#"[{"id": 1, "total": 1, "kind": "car"}]"#, "[0].kind"),
        (#"[{"id": 1, "total": 1, "kind": "book", "tags": [1]}]"#, "[0].tags[0]"),
        (#"[{"id": 1, "total": 1, "kind": "book", "tags": [], "size": {"cm": 256}}]"#, "[0].size.cm"),
        (#"[{"total": 1}]"#, "[0]"),
    ])
    func `a value of the wrong type is reported with its path`(text: String, path: String) throws {
        let value = try #require(JSONValue(parsing: text))
        let error = try #require(#expect(throws: DecodingError.self) { try value.decode([Order].self) })
        let context: DecodingError.Context? =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context
            @unknown default: nil
            }
        let found = context?.codingPath.reduce("") { path, key in
            path + (key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue)
        }
        #expect(found == path)
    }
}
