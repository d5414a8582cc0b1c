package import WaybillDiagnostics
package import WaybillSchema

/// What an answer must be, as far as one level of the cascade says.
package struct Expectation: Sendable {
    /// The statuses that are expected.
    package var status: Setting<[StatusTemplate]>?
    /// Header fields with the glob that each must match; `nil` takes a name away.
    package var headers: [(name: Spanned<String>, glob: Setting<ScalarTemplate?>)] = []
    /// A value that the data must contain.
    package var json: Setting<ValueTemplate>?
    /// Conditions on the data.
    package var body: [Setting<Check>] = []
    /// The longest time that the answer may take.
    package var maxTime: Setting<DurationTemplate>?
    /// A schema that the data must satisfy.
    package var schema: Setting<JSONSchema>?

    /// No expectation.
    package init() {}
}

/// A condition and what to say when it does not hold.
package struct Check: Sendable {
    /// The condition.
    package var that: ManifestExpression
    /// What to say when it does not hold.
    package var message: ScalarTemplate?
}

/// A status code, or a class of them such as `2xx`.
package enum StatusPattern: Sendable, Hashable, CustomStringConvertible {
    /// One code.
    case code(Int)
    /// A class by its first digit.
    case `class`(Int)

    /// A code from 100 to 599, or a class such as `2xx`.
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

    /// Whether a status code is meant.
    package func matches(_ status: Int) -> Bool {
        switch self {
        case .code(let code): code == status
        case .class(let digit): status / 100 == digit
        }
    }

    /// Whether the pattern takes any code of the class 2xx, for which filters and outputs run.
    package var mayBeSuccess: Bool {
        switch self {
        case .code(let code): code / 100 == 2
        case .class(let digit): digit == 2
        }
    }

    package var description: String {
        switch self {
        case .code(let code): String(code)
        case .class(let digit): "\(digit)xx"
        }
    }
}

/// An expected status: a pattern, or a template that evaluates to a pattern or a list of patterns.
package enum StatusTemplate: Sendable {
    /// A pattern.
    case constant(StatusPattern)
    /// A template.
    case template(ScalarTemplate)

    /// The pattern, if it is a constant.
    package var constant: StatusPattern? {
        if case .constant(let pattern) = self { pattern } else { nil }
    }

    /// Whether it may be a code of the class 2xx, for which filters and outputs run.
    package var mayBeSuccess: Bool { constant?.mayBeSuccess ?? true }

    /// Whether it may be a code of another class than 2xx.
    package var mayBeOther: Bool { constant.map { !$0.mayBeSuccess } ?? true }
}

extension [StatusTemplate] {
    /// The patterns, if they are all constants.
    package var constants: [StatusPattern]? {
        let constants = compactMap(\.constant)
        return constants.count == count ? constants : nil
    }
}
