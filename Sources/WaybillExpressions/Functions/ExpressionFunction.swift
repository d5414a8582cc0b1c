import WaybillJSON

/// A function of the expression language: its signature, and how its result is computed.
package final class ExpressionFunction: Sendable {
    /// A parameter of a function.
    package struct Parameter: Sendable {
        /// The name in the signature.
        package let name: String
        /// The kinds of value that the parameter accepts.
        package let type: ExpressionType
        /// Whether the argument can be left out.
        package let isOptional: Bool
        /// Whether any number of further arguments of the same type may follow.
        package let repeats: Bool

        init(_ name: String, _ type: ExpressionType, isOptional: Bool = false, repeats: Bool = false) {
            self.name = name
            self.type = type
            self.isOptional = isOptional
            self.repeats = repeats
        }
    }

    /// A function that the evaluator implements itself, because it needs its arguments unevaluated.
    enum Form: Sendable, Equatable {
        case count, value, not, exists, firstPresent, conditional
        case pattern(PatternFunction)
    }

    enum Body: Sendable {
        case form(Form)
        /// Computes the result from arguments that fit the parameters.
        case compute(@Sendable (FunctionArguments) throws(EvaluationError) -> JSON)
        /// Returns the argument, marked as raw.
        case markRaw
    }

    /// How much of a list or an object the computation reads, which counts as work.
    enum Work: Sendable {
        case constant, elements, everything
    }

    /// The name in a call.
    package let name: String
    /// The parameters, in order.
    package let parameters: [Parameter]
    /// The kinds of value that the function can return.
    package let result: ExpressionType
    /// Whether the result depends on more than the arguments: on the clock, on randomness, or on a file.
    package let isAmbient: Bool
    /// Whether the result reveals nothing about a secret argument.
    package let concealsSecrets: Bool
    let work: Work
    let body: Body

    init(
        _ name: String,
        _ parameters: [Parameter],
        _ result: ExpressionType,
        isAmbient: Bool = false,
        concealsSecrets: Bool = false,
        work: Work = .elements,
        _ body: Body
    ) {
        self.name = name
        self.parameters = parameters
        self.result = result
        self.isAmbient = isAmbient
        self.concealsSecrets = concealsSecrets || result == .boolean
        self.work = work
        self.body = body
    }

    /// Creates a function that computes its result from arguments that fit the parameters.
    convenience init(
        _ name: String,
        _ parameters: [Parameter],
        _ result: ExpressionType,
        isAmbient: Bool = false,
        concealsSecrets: Bool = false,
        work: Work = .elements,
        _ compute: @escaping @Sendable (FunctionArguments) throws(EvaluationError) -> JSON
    ) {
        self.init(
            name,
            parameters,
            result,
            isAmbient: isAmbient,
            concealsSecrets: concealsSecrets,
            work: work,
            .compute(compute)
        )
    }

    /// The signature as documentation and messages show it: `join(list, separator)`.
    package var signature: String {
        let names = parameters.map { parameter in
            (parameter.isOptional ? "[\(parameter.name)]" : parameter.name) + (parameter.repeats ? ", …" : "")
        }
        return "\(name)(\(names.joined(separator: ", ")))"
    }

    /// Returns the parameter that the argument at an index belongs to.
    func parameter(_ index: Int) -> Parameter {
        parameters[min(index, parameters.count - 1)]
    }

    /// Whether RFC 9535 defines the function. Inside a filter, such a function accepts an argument of any type, and has
    /// no result for an argument that it cannot use (section 2.4.1).
    var isStandard: Bool { Self.standardNames.contains(name) }

    private static let standardNames: Set = ["length", "count", "match", "search", "value"]

    /// All functions. Each family is a file with the functions and what they compute.
    package static let all = [paths, texts, conversions, digests, lists, markup, filters, timeAndFiles].flatMap(\.self)

    /// Returns the function with a name.
    package static func named(_ name: String) -> ExpressionFunction? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// The arguments of a call. They have already been checked against the parameters, so each accessor finds its type.
struct FunctionArguments: Sendable {
    let values: [JSON]
    let environment: any EvaluationEnvironment

    var count: Int { values.count }
    subscript(index: Int) -> JSON { values[index] }
    func string(_ index: Int) -> String { values[index].string ?? "" }
    /// Returns the bytes of an argument, or the UTF-8 bytes of a string.
    func bytes(_ index: Int) -> [UInt8] { values[index].bytes ?? Array(string(index).utf8) }
    func optionalString(_ index: Int) -> String? { index < values.count ? values[index].string : nil }
    func list(_ index: Int) -> [JSON] { values[index].array ?? [] }

    /// The check that a loop over the arguments calls.
    var check: ContinuationCheck { ContinuationCheck(environment: environment) }

    /// Returns a string with each piece of it changed, where the pieces are some KiB long and consist of whole code
    /// points. Throws if the evaluation must stop.
    func changingPieces(of text: String, _ change: (String) -> String) throws(EvaluationError) -> String {
        var result = ""
        var check = check
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            let end = text.utf8.index(rest.startIndex, offsetBy: Self.bytesOfPiece, limitedBy: rest.endIndex)
            // The range of a view of code points ends between two of them.
            let piece = rest[..<(end ?? rest.endIndex)]
            try check.spend(Self.bytesOfPiece)
            result += change(String(piece))
            rest = rest[piece.endIndex...]
        }
        return result
    }

    private static let bytesOfPiece = 1 << 12
}

/// Asks the environment every few thousand steps of a function whether to continue.
///
/// The steps are those of the loop only: the evaluator has counted the size of the arguments.
struct ContinuationCheck {
    /// The number of steps after which the environment is asked.
    static let steps = 1 << 14

    private let environment: any EvaluationEnvironment
    private var spent = 0

    init(environment: any EvaluationEnvironment) {
        self.environment = environment
    }

    /// Throws if the evaluation must stop. A step is a code point, an element of a list, or about as much work.
    mutating func spend(_ steps: Int) throws(EvaluationError) {
        spent += steps
        guard spent >= Self.steps else { return }
        spent = 0
        if let reason = environment.reasonToStop(after: 0) { throw EvaluationError(.limit, reason) }
    }
}

/// Limits on the size of a result and on the work of an evaluation.
enum EvaluationLimits {
    /// The maximum length of a string, in bytes.
    static let textBytes = 256 << 20
    /// The maximum number of elements in a list that a function creates, and of nodes that a path matches.
    static let elements = 16 << 20
    /// The maximum number of elements of a `range()`, which could otherwise become large without any data.
    static let rangeElements = 10_000_000
    /// The maximum number of nodes visited and pattern steps in one evaluation.
    static let steps = 1_000_000_000

    static func checkElements(_ count: Int) throws(EvaluationError) {
        if count > elements { throw EvaluationError(.limit, "the list would have more than \(elements) elements") }
    }

    static func checkText(_ bytes: Int) throws(EvaluationError) {
        if bytes > textBytes { throw EvaluationError(.limit, "the string would be larger than 256 MiB") }
    }
}
