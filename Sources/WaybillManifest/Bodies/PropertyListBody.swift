package import WaybillDiagnostics
package import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillRuntime

/// A value sent as a property list in XML: `plist: VALUE`.
struct PropertyListBody: RequestBody {
    static let key = "plist"

    let value: ValueTemplate

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let value = decoder.valueTemplate(node) else { return nil }
        if let null = value.firstNull { decoder.report(.nullInPropertyList(at: null)) }
        if let number = value.firstConstant(where: { $0.number.map(PropertyListWriter.fits) == false }) {
            decoder.diagnostics.report("invalid-value", "an integer of a property list has at most 64 bits", at: number)
        }
        self.value = value
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.value(value, .request, .body)
    }

    func encoded(in context: BodyContext) throws(EvaluationFailure) -> EncodedBody {
        try EncodedBody(propertyList: value.checkedValue(in: context.scope), at: context.span)
    }
}

extension EncodedBody {
    /// Creates a body from a value encoded as an XML property list. The span is the location for errors.
    package init(propertyList value: ScopeValue, at span: SourceSpan) throws(EvaluationFailure) {
        do {
            let bytes = try PropertyListWriter.xml(value.json)
            self.init(.bytes(bytes), mediaType: "application/x-plist", isSecret: value.isSecret)
        } catch {
            throw EvaluationFailure(message: "this value cannot be written as a property list: \(error)", span: span)
        }
    }
}

extension Diagnostic {
    /// The diagnostic for a null in a property list, which cannot contain one.
    package static func nullInPropertyList(at span: SourceSpan) -> Diagnostic {
        Diagnostic(
            "invalid-value",
            "a property list cannot contain null",
            at: span,
            help: ["Leave the name out, or send another value."]
        )
    }
}
