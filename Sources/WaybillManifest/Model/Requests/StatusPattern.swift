/// A status code, or a class of them such as `2xx`.
package enum StatusPattern: Sendable, Hashable, CustomStringConvertible {
    /// One code.
    case code(Int)
    /// A class by its first digit.
    case `class`(Int)

    /// Parses a code from 100 to 599 or a class such as `2xx`; `nil` if it is invalid.
    package init?(_ text: String) {
        if let code = Int(text), (100...599).contains(code) {
            self = .code(code)
        } else if text.lowercased().dropFirst() == "xx", let digit = text.first?.wholeNumberValue,
            (1...5).contains(digit)
        {
            self = .class(digit)
        } else {
            return nil
        }
    }

    /// Whether the pattern matches a status code.
    package func matches(_ status: Int) -> Bool {
        switch self {
        case .code(let code): code == status
        case .class(let digit): status / 100 == digit
        }
    }

    /// The first digit of the codes.
    package var digit: Int {
        switch self {
        case .code(let code): code / 100
        case .class(let digit): digit
        }
    }

    /// Whether the pattern can match a code of the class 2xx, for which filters and outputs are evaluated.
    package var mayBeSuccess: Bool { digit == 2 }

    /// The pattern in the notation of manifests: `404` or `4xx`.
    package var description: String {
        switch self {
        case .code(let code): String(code)
        case .class(let digit): "\(digit)xx"
        }
    }
}
