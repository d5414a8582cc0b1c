package import WaybillData
package import WaybillDiagnostics

/// What an answer must be, as far as one level of the cascade says.
package struct Expectation: Sendable {
    /// The statuses that are expected.
    package var status: Setting<[StatusPattern]>?
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
