import WaybillExpressions

/// Compiles a text as an expression, as the text of an expression position and as a template, and evaluates what compiles.
/// Every range must lie within the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    let scope = FuzzScope.scope
    let length = text.utf8.count
    do throws(ExpressionSyntaxError) {
        let expression = try Expression(parsing: text)
        check(expression.references, expression.warnings, length)
        check(length) { () throws(EvaluationError) in _ = try expression.evaluate(in: scope) }
        check(length) { () throws(EvaluationError) in _ = try expression.condition(in: scope) }
    } catch { check(error.range, length) }
    do throws(ExpressionSyntaxError) {
        let inText = try Template.expression(in: text)
        check(inText.range, length)
        check(inText.references, inText.warnings, length)
        if let error = inText.checkCondition() { check(error.range, length) }
        check(length) { () throws(EvaluationError) in _ = try inText.text(in: scope) }
    } catch { check(error.range, length) }
    do throws(ExpressionSyntaxError) {
        let template = try Template(parsing: text)
        check(template.references, template.warnings, length)
        check(length) { () throws(EvaluationError) in _ = try template.value(in: scope) }
    } catch { check(error.range, length) }
    return 0
}

private func check(_ length: Int, _ evaluate: () throws(EvaluationError) -> Void) {
    do throws(EvaluationError) {
        try evaluate()
    } catch {
        check(error.range, length)
    }
}

private func check(_ references: [Reference], _ warnings: [ExpressionWarning], _ length: Int) {
    for reference in references {
        check(reference.range, length)
        for part in [reference.nameRange] + reference.segments.map(\.range) {
            precondition(part.clamped(to: reference.range) == part, "a part of a reference is outside it")
        }
    }
    for warning in warnings { check(warning.range, length) }
}

private func check(_ range: Range<Int>, _ length: Int) {
    precondition(range.clamped(to: 0..<length) == range, "a range is outside the text")
}
