import WaybillJSON

/// A type that a JSON value represents directly, not as a list or an object.
protocol ValueScalar {
    /// Creates the value; `nil` if the JSON value has another kind, or is out of range.
    init?(decoding json: JSON)

    /// The JSON value; `nil` if JSON cannot represent the value.
    var encoded: JSON? { get }
}

extension JSONValue: ValueScalar {
    init?(decoding json: JSON) { self.init(json) }

    var encoded: JSON? { json }
}

extension Bool: ValueScalar {
    init?(decoding json: JSON) {
        guard let bool = json.bool else { return nil }
        self = bool
    }

    var encoded: JSON? { .bool(self) }
}

extension String: ValueScalar {
    init?(decoding json: JSON) {
        guard let string = json.string else { return nil }
        self = string
    }

    var encoded: JSON? { .string(self) }
}

extension BinaryFloatingPoint where Self: CustomStringConvertible {
    init?(decoding json: JSON) {
        guard let double = json.number?.double else { return nil }
        let value = Self(double)
        guard value.isFinite else { return nil }
        self = value
    }

    /// The fewest digits that read back as the same value; `nil` for infinities and NaN.
    var encoded: JSON? { JSONNumber(parsing: description).map(JSON.number) }
}

extension FixedWidthInteger {
    init?(decoding json: JSON) {
        guard let number = json.number else { return nil }
        if let int = number.int {
            self.init(exactly: int)
        } else {
            // A number outside the range of Int may still be in the range of another type.
            self.init(number.text, radix: 10)
        }
    }

    var encoded: JSON? { JSONNumber(parsing: description).map(JSON.number) }
}

extension Double: ValueScalar {}
extension Float: ValueScalar {}
extension Int: ValueScalar {}
extension Int8: ValueScalar {}
extension Int16: ValueScalar {}
extension Int32: ValueScalar {}
extension Int64: ValueScalar {}
extension Int128: ValueScalar {}
extension UInt: ValueScalar {}
extension UInt8: ValueScalar {}
extension UInt16: ValueScalar {}
extension UInt32: ValueScalar {}
extension UInt64: ValueScalar {}
extension UInt128: ValueScalar {}
