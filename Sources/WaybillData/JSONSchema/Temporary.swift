/// Stand-ins until the JSON part brings its own.
extension JSONNumber {
    var isInteger: Bool { double == double.rounded() }
    func isMultiple(of other: JSONNumber) -> Bool {
        let quotient = double / other.double
        return quotient == quotient.rounded()
    }
}
package struct JSONParser {
    package init() {}
    struct Bad: Error {}

    package func parse(_ bytes: [UInt8]) throws -> JSON {
        var at = 0
        return try Self.value(bytes, &at)
    }
    private static func skip(_ b: [UInt8], _ at: inout Int) { while at < b.count, b[at] <= 0x20 { at += 1 } }
    private static func value(_ b: [UInt8], _ at: inout Int) throws -> JSON {
        skip(b, &at)
        switch b[at] {
        case UInt8(ascii: "{"):
            at += 1
            var o = JSONObject()
            skip(b, &at)
            while b[at] != UInt8(ascii: "}") {
                let k = try value(b, &at)
                skip(b, &at); at += 1
                o[k.string!] = try value(b, &at)
                skip(b, &at)
                if b[at] == UInt8(ascii: ",") { at += 1; skip(b, &at) }
            }
            at += 1
            return .object(o)
        case UInt8(ascii: "["):
            at += 1
            var o: [JSON] = []
            skip(b, &at)
            while b[at] != UInt8(ascii: "]") {
                o.append(try value(b, &at))
                skip(b, &at)
                if b[at] == UInt8(ascii: ",") { at += 1 }
            }
            at += 1
            return .array(o)
        case UInt8(ascii: "\""):
            at += 1
            var u: [UInt16] = []
            var raw: [UInt8] = []
            func flush() { u += Array(String(decoding: raw, as: UTF8.self).utf16); raw = [] }
            while b[at] != UInt8(ascii: "\"") {
                if b[at] == UInt8(ascii: "\\") {
                    flush()
                    at += 1
                    switch b[at] {
                    case UInt8(ascii: "n"): u.append(10)
                    case UInt8(ascii: "t"): u.append(9)
                    case UInt8(ascii: "r"): u.append(13)
                    case UInt8(ascii: "b"): u.append(8)
                    case UInt8(ascii: "f"): u.append(12)
                    case UInt8(ascii: "u"):
                        u.append(UInt16(String(decoding: b[at + 1...at + 4], as: UTF8.self), radix: 16)!)
                        at += 4
                    default: u.append(UInt16(b[at]))
                    }
                } else {
                    raw.append(b[at])
                }
                at += 1
            }
            at += 1
            flush()
            return .string(String(decoding: u, as: UTF16.self))
        case UInt8(ascii: "t"): at += 4; return true
        case UInt8(ascii: "f"): at += 5; return false
        case UInt8(ascii: "n"): at += 4; return nil
        default:
            let s = at
            while at < b.count, "+-.eE0123456789".utf8.contains(b[at]) { at += 1 }
            return .number(JSONNumber(validated: String(decoding: b[s..<at], as: UTF8.self)))
        }
    }
}
