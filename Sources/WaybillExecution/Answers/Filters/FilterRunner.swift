import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillSchema

/// Sends data through filter stages.
struct FilterRunner {
    /// Why a filter refused the data.
    struct Refusal: Error, Sendable {
        let message: String
        /// The server's code, where a stage names it.
        var code: JSON?
        let span: SourceSpan
    }

    /// The data after all stages.
    ///
    /// - Parameters:
    ///   - isSuccess: Whether the status is 2xx; otherwise only the stages run that are for every status.
    ///   - scope: The scope of a level; its `$` is replaced by the data at hand.
    static func run(
        _ stages: [Setting<PlannedStage>],
        on data: ScopeValue,
        isSuccess: Bool = true,
        scope: (Level) -> EvaluationScope
    ) throws(Refusal) -> ScopeValue {
        var data = data
        for stage in stages where isSuccess || stage.value.onEveryStatus {
            var scope = scope(stage.level)
            scope.current = data
            do {
                data = try run(stage.map { $0.stage }, on: data, in: scope)
            } catch let problem as EvaluationProblem {
                throw Refusal(message: problem.message, span: problem.span)
            } catch let refusal as Refusal {
                throw refusal
            } catch {
                throw Refusal(message: "\(error)", span: stage.span)
            }
        }
        return data
    }

    private static func run(
        _ stage: Setting<FilterStage>,
        on data: ScopeValue,
        in scope: EvaluationScope
    ) throws -> ScopeValue {
        switch stage.value {
        case .require(let that, let code, let message):
            if try that.holds(in: scope) { return data }
            let words = shown(message, in: scope) ?? that.complaint(in: scope)
            throw Refusal(message: words, code: value(of: code, in: scope), span: that.span)
        case .select(let path, let fallback):
            do {
                return try path.value(in: scope)
            } catch {
                guard let fallback else { throw error }
                return try fallback.value(in: scope)
            }
        case .envelope(let envelope):
            let code = try envelope.code.value(in: scope).json
            guard envelope.ok.contains(where: { isSame($0, code) }) else {
                let words = shown(envelope.message, in: scope) ?? "the code of the response is not accepted"
                throw Refusal(message: words, code: code, span: envelope.code.span)
            }
            guard let content = envelope.data else { return data }
            return (try? content.value(in: scope)) ?? ScopeValue(.null)
        case .map, .where, .sort, .unique, .limit, .flatten:
            return try ListStage(stage, data, scope).run()
        case .pick, .omit, .rename, .set:
            return try MemberStage(stage, data, scope).run()
        case .decode(let format):
            return ScopeValue(try decode(data.json, as: format, at: stage.span), isSecret: data.isSecret)
        case .schema(let schema):
            guard let violation = schema.validate(data.json, limit: 1).first else { return data }
            throw Refusal(message: violation.sentence, span: stage.span)
        case .default(let value):
            return data.json == .null ? try value.value(in: scope) : data
        }
    }

    /// The value of a text that is in another format.
    private static func decode(_ data: JSON, as format: FilterStage.Format, at span: SourceSpan) throws(Refusal) -> JSON
    {
        guard let text = data.string else {
            throw Refusal(message: "only a text can be decoded, and the data is \(data.kind.phrase)", span: span)
        }
        do {
            switch format {
            case .json: return try JSONParser().parse(Array(text.utf8))
            case .plist: return try PropertyListParser().parse(Array(text.utf8))
            }
        } catch let error as JSONSyntaxError {
            throw Refusal(message: "the text is not JSON: \(error.message) at byte \(error.offset)", span: span)
        } catch {
            throw Refusal(message: "the text is not a property list: \(error)", span: span)
        }
    }

    /// Whether two codes are the same; a text that is a number is that number.
    private static func isSame(_ left: JSON, _ right: JSON) -> Bool {
        func normalized(_ value: JSON) -> JSON {
            guard case .string(let text) = value, let number = try? JSONParser().parse(Array(text.utf8)),
                number.kind == .number
            else { return value }
            return number
        }
        return normalized(left) == normalized(right)
    }

    /// The value of an expression as words, if it has one.
    private static func shown(_ expression: ManifestExpression?, in scope: EvaluationScope) -> String? {
        value(of: expression, in: scope)?.words
    }

    /// The value of an expression, if it has one.
    private static func value(of expression: ManifestExpression?, in scope: EvaluationScope) -> JSON? {
        guard let value = try? expression?.value(in: scope).json, value != .null else { return nil }
        return value
    }
}
