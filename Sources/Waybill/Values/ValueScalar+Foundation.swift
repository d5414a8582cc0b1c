import WaybillFormats
import WaybillJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A number with all of its digits.
extension Decimal: ValueScalar {
    init?(decoding json: JSON) {
        // A number with more than 38 digits, or with a large exponent, is not a decimal.
        guard let number = json.number, let decimal = Decimal(string: number.text),
            JSONNumber(parsing: decimal.description) == number
        else { return nil }
        self = decimal
    }

    var encoded: JSON? { JSONNumber(parsing: description).map(JSON.number) }
}

/// A string in the format of RFC 3339; to the millisecond and in UTC if it is encoded.
extension Date: ValueScalar {
    init?(decoding json: JSON) {
        guard let time = json.string.flatMap(Timestamp.init(rfc3339:)) else { return nil }
        self.init(timeIntervalSince1970: time.secondsSince1970)
    }

    var encoded: JSON? {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        // The years that a timestamp can represent.
        guard abs(milliseconds) < 9.2e12 else { return nil }
        return .string(Timestamp(nanoseconds: Int64(milliseconds) * 1_000_000).description)
    }
}

/// A string.
extension URL: ValueScalar {
    init?(decoding json: JSON) {
        guard let string = json.string else { return nil }
        self.init(string: string)
    }

    var encoded: JSON? { .string(absoluteString) }
}

/// A string in Base64.
extension Data: ValueScalar {
    init?(decoding json: JSON) {
        guard let bytes = json.string.flatMap(Base64.decode) else { return nil }
        self.init(bytes)
    }

    var encoded: JSON? { .string(Base64.encode([UInt8](self))) }
}

/// A string of hexadecimal digits and hyphens.
extension UUID: ValueScalar {
    init?(decoding json: JSON) {
        guard let string = json.string else { return nil }
        self.init(uuidString: string)
    }

    var encoded: JSON? { .string(uuidString) }
}
