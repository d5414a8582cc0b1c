import WaybillJSON

/// A function of the expression language: how it is called, what it is for, and how its result is computed.
package final class ExpressionFunction: Sendable {
    /// What a function takes at one place.
    package struct Parameter: Sendable {
        /// The name it has in the signature.
        package let name: String
        /// The kinds of value that fit.
        package let type: ExpressionType
        /// Whether it can be left out.
        package let isOptional: Bool
        /// Whether any number of further arguments may follow, of the same type.
        package let repeats: Bool

        init(_ name: String, _ type: ExpressionType, isOptional: Bool = false, repeats: Bool = false) {
            self.name = name
            self.type = type
            self.isOptional = isOptional
            self.repeats = repeats
        }
    }

    /// What the evaluator itself does, because the arguments are more than values.
    enum Form: Sendable, Equatable {
        case count, value, not, exists, firstPresent, conditional
        case pattern(PatternFunction)
    }

    enum Body: Sendable {
        case form(Form)
        /// Computes the result; the arguments fit the parameters.
        case compute(@Sendable (FunctionArguments) throws(FunctionFailure) -> JSON)
        /// The argument itself, marked as raw.
        case markRaw
    }

    /// How much of a list or an object the computation looks at, which counts as work.
    enum Work: Sendable {
        case constant, elements, everything
    }

    /// The name it is called by.
    package let name: String
    /// What it takes.
    package let parameters: [Parameter]
    /// What it gives.
    package let result: ExpressionType
    /// One line that says what it does.
    package let summary: String
    /// Whether the result depends on more than the arguments: on the clock, on chance, on a file.
    package let isAmbient: Bool
    /// Whether a secret cannot be learned from the result.
    package let concealsSecrets: Bool
    let work: Work
    let body: Body

    init(
        _ name: String,
        _ parameters: [Parameter],
        _ result: ExpressionType,
        _ summary: String,
        isAmbient: Bool = false,
        concealsSecrets: Bool = false,
        work: Work = .elements,
        _ body: Body
    ) {
        self.name = name
        self.parameters = parameters
        self.result = result
        self.summary = summary
        self.isAmbient = isAmbient
        self.concealsSecrets = concealsSecrets || result == .boolean
        self.work = work
        self.body = body
    }

    /// How it is called: `join(list, separator)`.
    package var signature: String {
        let names = parameters.map { parameter in
            (parameter.isOptional ? "[\(parameter.name)]" : parameter.name) + (parameter.repeats ? ", …" : "")
        }
        return "\(name)(\(names.joined(separator: ", ")))"
    }

    /// The parameter that an argument belongs to.
    func parameter(_ index: Int) -> Parameter {
        parameters[min(index, parameters.count - 1)]
    }

    /// Whether RFC 9535 defines it. Inside a filter, such a function accepts an argument of any type and has no result for
    /// one that it cannot use (section 2.4.1).
    var isStandard: Bool { Self.standardNames.contains(name) }

    private static let standardNames: Set = ["length", "count", "match", "search", "value"]

    /// All functions, in the order in which they are documented. A family is one file, which has its functions and what
    /// they compute.
    package static let all = paths + texts + conversions + digests + lists + timeAndFiles

    /// The function of a name.
    package static func named(_ name: String) -> ExpressionFunction? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// The arguments of a call. They have been checked against the parameters, so that each accessor finds what it names.
struct FunctionArguments: Sendable {
    let values: [JSON]
    let environment: any EvaluationEnvironment

    var count: Int { values.count }
    subscript(index: Int) -> JSON { values[index] }
    func string(_ index: Int) -> String { values[index].string ?? "" }
    /// The bytes of an argument: its own, or those of a string in UTF-8.
    func bytes(_ index: Int) -> [UInt8] { values[index].bytes ?? Array(string(index).utf8) }
    func optionalString(_ index: Int) -> String? { index < values.count ? values[index].string : nil }
    func list(_ index: Int) -> [JSON] { values[index].array ?? [] }
}

/// Why a function has no result.
struct FunctionFailure: Error, Sendable {
    var kind: EvaluationError.Kind
    /// The reason, as a sentence without a full stop.
    var message: String

    init(_ kind: EvaluationError.Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

/// How large a result may become.
enum EvaluationLimits {
    /// Bytes of a text.
    static let textBytes = 256 << 20
    /// Elements of a list that a function makes, and nodes that a path matches.
    static let elements = 64 << 20
    /// Elements of a `range()`, which takes no data to become large.
    static let rangeElements = 10_000_000
    /// Nodes visited and steps of patterns in one evaluation.
    static let steps = 1_000_000_000

    static func checkElements(_ count: Int) throws(FunctionFailure) {
        if count > elements { throw FunctionFailure(.limit, "the list would have more than \(elements) elements") }
    }

    static func checkText(_ bytes: Int) throws(FunctionFailure) {
        if bytes > textBytes { throw FunctionFailure(.limit, "the text would be larger than 256 MiB") }
    }
}
