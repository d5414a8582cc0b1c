import WaybillFormats
import WaybillJSON

extension ExpressionFunction {
    /// XPath 1.0 in a document of XML, or in an element that it found.
    static let xpath = ExpressionFunction(
        "xpath",
        [Parameter("xml", .string), Parameter("expression", .string)],
        [.number, .boolean, .string, .array]
    ) { arguments throws(EvaluationError) in
        let document: XMLDocument
        do throws(XMLDocument.SyntaxError) {
            document = try arguments.environment.document(parsing: arguments.string(0))
        } catch {
            // The reason may quote the string, which may be secret.
            let line = error.line.map { " in line \($0)" } ?? ""
            throw EvaluationError(
                .value,
                "xpath() requires a string of well-formed XML: it is invalid\(line)"
                    + "; an attribute or a text that xpath() found is not XML"
            )
        }
        let expression = XPathExpression(arguments.string(1))
        let namespaces = arguments.environment.namespaces
        let value: XPathExpression.Value
        do throws(XPathExpression.Failure) {
            value = try document.evaluate(expression, namespaces: namespaces)
        } catch {
            throw EvaluationError(.value, "xpath(): \(error.message)")
        }
        switch value {
        case .number(let number):
            guard let number = JSONNumber(number) else {
                throw EvaluationError(.missing, "the result of xpath() is not a number (NaN), or is infinite")
            }
            return .number(number)
        case .boolean(let flag): return .bool(flag)
        case .string(let text):
            try EvaluationLimits.checkText(text.utf8.count)
            return .string(text)
        case .nodes(let nodes): return .array(nodes.map(JSON.string))
        }
    }

    /// The functions on XML and HTML.
    static let markup = [xpath]
}

/// A constant expression of XPath, for the checks of a plan.
package struct XPathUse: Sendable {
    /// The prefixes of names in it, which namespaces must be bound to.
    package let prefixes: [String]
    /// The location of the argument, in UTF-8 bytes of the text.
    package let range: Range<Int>
}

extension ExpressionType {
    /// The kinds of the values that an expression of XPath has.
    init(_ kind: XPathExpression.Kind) {
        self =
            switch kind {
            case .number: .number
            case .boolean: .boolean
            case .string: .string
            case .nodes: .array
            }
    }
}
