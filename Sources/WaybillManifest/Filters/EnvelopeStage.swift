import WaybillExpressions
import WaybillJSON

/// Checks the code of an envelope and replaces the envelope by its content: `envelope: {code, ok, message, data}`.
struct EnvelopeStage: FilterStage {
    static let key = "envelope"
    var keepsElements: Bool { content?.expression.keepsElements ?? true }

    /// The location of the code in the envelope.
    let code: ManifestExpression
    /// The codes of success; numeric strings compare as numbers.
    let ok: [JSON]
    /// The location of the server's message.
    let message: ManifestExpression?
    /// The location of the content; `nil` for the envelope itself.
    let content: ManifestExpression?

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        let code = node["code"].flatMap { decoder.expression($0) }
        message = node["message"].flatMap { decoder.expression($0) }
        content = node["data"].flatMap { decoder.expression($0) }
        ok = node["ok"].map { $0.json.array ?? [$0.json] } ?? [0]
        decoder.warnOfTemplates(in: node["ok"], "the code is compared with this as it is written")
        guard let code else { return nil }
        self.code = code
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.expression(code, .response, .expectation)
        visitor.expression(message, .response, .message)
        visitor.expression(content, .response, .data)
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        let found = try code.value(in: data.scope).json
        let number = Self.number(of: found)
        guard ok.contains(where: { Self.number(of: $0) == number }) else {
            let words = data.valueIfAny(of: message)?.words ?? "the code of the response is not accepted"
            throw EvaluationFailure(message: words, span: code.span, code: found)
        }
        guard let content else { return data.value }
        return (try? content.value(in: data.scope)) ?? ScopeValue(.null)
    }

    var serverMessage: ManifestExpression? { message }

    /// Returns a code; a numeric string becomes a number.
    private static func number(of code: JSON) -> JSON {
        guard case .string(let text) = code, let number = try? JSONParser(stopsAtLimit: true).parse(Array(text.utf8)),
            number.kind == .number
        else { return code }
        return number
    }
}
