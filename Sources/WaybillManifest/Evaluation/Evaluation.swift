package import WaybillDiagnostics
package import WaybillExpressions
package import WaybillJSON

/// The content of a body or of a part of one.
package struct ComputedContent: Sendable {
    /// The bytes; a string is encoded in UTF-8.
    package let bytes: [UInt8]
    /// Whether it contains the value of a secret or a string derived from one.
    package let isSecret: Bool
    /// The media type, unless another one is given.
    package let mediaType: String
    private let isText: Bool

    /// The bytes, with a string decoded from Base64; `nil` for a string that is not Base64.
    package var decodedBytes: [UInt8]? { isText ? Base64.decode(String(decoding: bytes, as: UTF8.self)) : bytes }

    init(utf8 bytes: [UInt8], isSecret: Bool = false) {
        self.bytes = bytes
        self.isSecret = isSecret
        mediaType = "text/plain; charset=utf-8"
        isText = true
    }

    init(_ bytes: [UInt8], isSecret: Bool) {
        self.bytes = bytes
        self.isSecret = isSecret
        mediaType = "application/octet-stream"
        isText = false
    }
}

extension EvaluatedText {
    /// Returns the result of an evaluation, whose error becomes a failure with a location in the manifest.
    fileprivate func located<Result>(
        _ evaluate: () throws(EvaluationError) -> Result
    ) throws(EvaluationFailure) -> Result {
        do {
            return try evaluate()
        } catch {
            throw EvaluationFailure(message: error.message, span: span(of: error.range))
        }
    }
}

extension ManifestExpression {
    /// Returns the value of the expression.
    package func value(in scope: EvaluationScope) throws(EvaluationFailure) -> ScopeValue {
        try located { () throws(EvaluationError) in try expression.evaluate(in: scope) }
    }

    /// Returns the value of the expression for an output, which must be readable again when the run is resumed.
    package func outputValue(in scope: EvaluationScope) throws(EvaluationFailure) -> ScopeValue {
        try value(in: scope).checked(in: scope, at: span)
    }

    /// Returns the message that the condition does not hold, with the values that were found.
    package func complaint(in scope: EvaluationScope) -> String {
        let found = expression.falsifyingValues(in: scope).map { ": \($0)" } ?? ""
        return "'\(expression.text)' is false\(found)"
    }

    /// Whether the condition holds.
    package func holds(in scope: EvaluationScope) throws(EvaluationFailure) -> Bool {
        try located { () throws(EvaluationError) in try expression.condition(in: scope) }
    }
}

extension [Check] {
    /// Throws for the first of some conditions on inputs that does not hold, with the values that were found.
    package func require(in scope: EvaluationScope) throws(EvaluationFailure) {
        for check in self where try !check.that.holds(in: scope) {
            let complaint = check.that.complaint(in: scope)
            let message = try check.message.map { (message) throws(EvaluationFailure) in
                "\(try message.shownText(in: scope)): \(complaint)"
            }
            throw EvaluationFailure(message: message ?? complaint, span: check.that.span)
        }
    }
}

extension ScopeValue {
    /// Returns the value, whose size is reported to the environment. Fails if it is nested too deep to be compared,
    /// released or read again, or too large.
    func checked(in scope: EvaluationScope, at span: SourceSpan) throws(EvaluationFailure) -> ScopeValue {
        var size = JSONSize()
        try size.add(json, at: span)
        scope.environment.note(bytes: size.bytes)
        return self
    }
}

extension JSONSize {
    /// Adds a value that is made at a location of the manifest; see `add(_:)`.
    package mutating func add(_ value: JSON, at span: SourceSpan) throws(EvaluationFailure) {
        do throws(Excess) {
            try add(value)
        } catch {
            throw EvaluationFailure(message: error.message, span: span)
        }
    }
}

extension ScalarTemplate {
    /// Returns the scalar as a string: a constant as written.
    package func text(in scope: EvaluationScope) throws(EvaluationFailure) -> ScopeText {
        try text(in: scope) { $0.text }
    }

    /// Returns the scalar as a string for messages, with `***` for each `${…}` whose value contains a secret. A redactor
    /// would not find a short secret inside a longer string.
    package func shownText(in scope: EvaluationScope) throws(EvaluationFailure) -> String {
        try text(in: scope) { $0.shown }.text
    }

    /// Returns the scalar as the values of the field or parameter with a name. A lone `${…}` may also be null, for one that
    /// is left out, or a list.
    package func texts(of name: String, in scope: EvaluationScope) throws(EvaluationFailure) -> [ScopeText] {
        do throws(EvaluationFailure) {
            return [try text(in: scope)]
        } catch {
            guard let lone = template?.template.loneExpression, let value = try? lone.evaluate(in: scope) else {
                throw error
            }
            guard value.json != .null else { return [] }
            guard let list = value.json.array else { throw error }
            var texts: [ScopeText] = []
            for (index, element) in list.enumerated() {
                guard let text = element.scalarText else {
                    let found = "found \(element.kind.phrase) at index \(index) of the list"
                    let message = "'\(name)' can only be repeated with strings, numbers and booleans, \(found)"
                    throw EvaluationFailure(message: message, span: error.span)
                }
                texts.append(ScopeText(text, isSecret: value.isSecret))
            }
            return texts
        }
    }

    private func text(
        in scope: EvaluationScope,
        rewriting rewrite: (ScopeText) -> String
    ) throws(EvaluationFailure) -> ScopeText {
        switch content {
        case .constant(_, let text):
            return ScopeText(text)
        case .template(let template):
            return try template.located { () throws(EvaluationError) in
                try template.template.text(in: scope, rewriting: rewrite)
            }
        }
    }

    /// Returns the scalar as the content of a body: a string in UTF-8, or the bytes if a lone `${…}` evaluates to
    /// bytes.
    package func content(in scope: EvaluationScope) throws(EvaluationFailure) -> ComputedContent {
        guard case .template(let template) = content else {
            return ComputedContent(utf8: Array(try text(in: scope).text.utf8))
        }
        return try template.located { () throws(EvaluationError) in
            if let lone = template.template.loneExpression, lone.resultType.contains(.bytes),
                case let value = try lone.evaluate(in: scope), case .bytes(let bytes) = value.json
            {
                return ComputedContent(bytes, isSecret: value.isSecret)
            }
            let (bytes, isSecret) = try template.template.utf8(in: scope)
            return ComputedContent(utf8: bytes, isSecret: isSecret)
        }
    }

    /// Returns the scalar as a value: a lone `${…}` keeps its type.
    package func value(in scope: EvaluationScope) throws(EvaluationFailure) -> ScopeValue {
        switch content {
        case .constant(let value, _):
            return ScopeValue(value)
        case .template(let template):
            return try template.located { () throws(EvaluationError) in try template.template.value(in: scope) }
        }
    }
}

extension ValueTemplate {
    /// Returns the value with all expressions in it evaluated. Fails if it is nested too deep, or too large.
    package func checkedValue(in scope: EvaluationScope) throws(EvaluationFailure) -> ScopeValue {
        try value(in: scope).checked(in: scope, at: span)
    }

    /// Returns the value with all expressions in it evaluated.
    package func value(in scope: EvaluationScope) throws(EvaluationFailure) -> ScopeValue {
        switch self {
        case .scalar(let scalar):
            return try scalar.value(in: scope)
        case .list(let elements, _):
            var isSecret = false
            var values: [JSON] = []
            for element in elements {
                let value = try element.value(in: scope)
                isSecret = isSecret || value.isSecret
                values.append(value.json)
            }
            return ScopeValue(.array(values), isSecret: isSecret)
        case .mapping(let members, _):
            var isSecret = false
            var object = JSONObject()
            for member in members {
                let value = try member.value.value(in: scope)
                isSecret = isSecret || value.isSecret
                object[member.name.value] = value.json
            }
            return ScopeValue(.object(object), isSecret: isSecret)
        }
    }
}

extension DurationTemplate {
    /// Returns the duration.
    package func duration(in scope: EvaluationScope) throws(EvaluationFailure) -> Duration {
        switch self {
        case .constant(let duration):
            return duration
        case .template(let template):
            let text = try template.located { () throws(EvaluationError) in try template.template.text(in: scope) }
            guard let duration = Duration(manifestText: text.text) else {
                throw EvaluationFailure(message: "'\(text.shown)' is not a duration such as 15s", span: template.span)
            }
            return duration
        }
    }
}

/// Why a part of the manifest could not be evaluated, with its location.
package struct EvaluationFailure: Error, Sendable {
    package var message: String
    /// The location in the manifest.
    package var span: SourceSpan
    /// The kind of failure that it causes in the step.
    package var kind: FailureKind
    /// The server's code for the failure, if the server caused it.
    package var code: JSON?
    /// The element of a list that a filter stage failed on; `nil` if there is none, or if it is secret.
    package var item: JSON?

    package init(message: String, span: SourceSpan, kind: FailureKind = .input, code: JSON? = nil) {
        self.message = message
        self.span = span
        self.kind = kind
        self.code = code
    }
}
