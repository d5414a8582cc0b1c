import Testing
import Waybill

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// JSON values that are encoded and decoded by coders.
@Suite(.timeLimit(.minutes(5))) struct ValueCodingTests {
    @Test func `integers of 128 bits are properties, too`() throws {
        struct Wide: Codable, Equatable {
            var signed: Int128
            var unsigned: UInt128
        }
        let wide = Wide(signed: .min, unsigned: .max)
        let value = try JSONValue(encoding: wide)
        #expect(value["unsigned"]?.digits == "340282366920938463463374607431768211455")
        #expect(try value.decode(Wide.self) == wide)
    }

    private struct Order: Codable, Equatable {
        enum Kind: String, Codable { case book, bicycle }
        var id: UInt64
        var total: Decimal
        var kind: Kind
        var note: String?
        var tags: [String]
        var size: [String: Float]
        var due: Date
        var link: URL
        var image: Data
        var key: UUID
        var rest: JSONValue
    }

    private static let order = """
        {"id":18446744073709551615,"total":12345678901234567890.12,"kind":"book","note":"x","tags":["a","b"],\
        "size":{"cm":0.1},"due":"2026-11-26T10:00:00.120Z","link":"https://shop.example.com/a?b=c","image":"AP8=",\
        "key":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","rest":{"b":1.50,"a":[null,true]}}
        """

    @Test func `a value of the program becomes JSON with all digits and in order, and back`() throws {
        let value = try #require(JSONValue(parsing: Self.order))
        let order = try value.decode(Order.self)
        #expect(order.total.description == "12345678901234567890.12")
        #expect(order.due == Date(timeIntervalSince1970: 1_795_687_200.12))
        #expect(order.link.query() == "b=c")
        #expect(order.image == Data([0, 255]))
        let encoded = try JSONValue(encoding: order)
        #expect(encoded.description == Self.order)
        #expect(try encoded.decode(Order.self) == order)
    }

    @Test func `values without containers, empty types and nested containers are encoded`() throws {
        struct Empty: Encodable {}
        struct Nested: Encodable {
            func encode(to encoder: any Encoder) throws {
                enum Key: String, CodingKey { case list, object, none }
                var container = encoder.container(keyedBy: Key.self)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(1)
                try list.encodeNil()
                var inner = list.nestedContainer(keyedBy: Key.self)
                try inner.encode(true, forKey: .object)
                #expect(list.count == 3)
                try container.encodeNil(forKey: .none)
                // Another container of the same object.
                var again = encoder.container(keyedBy: Key.self)
                try 2.encode(to: again.superEncoder(forKey: .object))
            }
        }
        #expect(try JSONValue(encoding: 1).description == "1")
        #expect(try JSONValue(encoding: Int?.none).description == "null")
        #expect(try JSONValue(encoding: [[1], []]).description == "[[1],[]]")
        #expect(try JSONValue(encoding: Empty()).description == "{}")
        #expect(
            try JSONValue(encoding: Nested()).description
                == #"{"list":[1,null,{"object":true}],"none":null,"object":2}"#
        )
        #expect(try JSONValue(encoding: JSONValue.number(digits: "1.50")).description == "1.50")
    }

    @Test func `what JSON cannot represent is reported with its path`() throws {
        let error = try #require(
            #expect(throws: EncodingError.self) { try JSONValue(encoding: ["a": [1, Double.infinity]]) }
        )
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue) == ["a", "1"])
        #expect(throws: EncodingError.self) { try JSONValue(encoding: Decimal.nan) }
        #expect(throws: EncodingError.self) { try JSONValue(encoding: Date.distantFuture) }
    }

    @Test(arguments: [
        ("12345678901234567890123456789012345678901234567890", "Decimal"), (#""26.11.2026""#, "Date"),
        (#""A""#, "Data"), (#""x""#, "UUID"), ("1", "URL"),
    ])
    func `a string or number that is none of a type is not decoded`(text: String, type: String) throws {
        let value = try #require(JSONValue(parsing: text))
        #expect(throws: DecodingError.self) {
            switch type {
            case "Decimal": _ = try value.decode(Decimal.self)
            case "Date": _ = try value.decode(Date.self)
            case "Data": _ = try value.decode(Data.self)
            case "UUID": _ = try value.decode(UUID.self)
            default: _ = try value.decode(URL.self)
            }
        }
    }

    @Test(arguments: [
        "null", "true", "1", "-9223372036854775808", "18446744073709551615", "12.5", "1e+300", "0.1",
        "12345678901234567890.123456789", #""a""#, "[]", "[null,[1],{}]", #"{"a":{"b":[0.30]}}"#,
    ])
    func `a value passes through the coders of JSON, and of property lists without null`(text: String) throws {
        let value = try #require(JSONValue(parsing: text))
        let json = try JSONEncoder().encode(value)
        let decoded = try JSONDecoder().decode(JSONValue.self, from: json)
        #expect(decoded == value)
        guard !text.contains("null") else { return }
        let list = try PropertyListEncoder().encode(["value": value])
        #expect(try PropertyListDecoder().decode([String: JSONValue].self, from: list) == ["value": value])
    }

    @Test func `a number beyond all types of a coder is reported`() throws {
        let value = try #require(JSONValue(parsing: "1e400"))
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([value]) }
    }
}
