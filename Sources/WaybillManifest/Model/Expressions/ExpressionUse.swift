package import WaybillDiagnostics
import WaybillJSON

/// When an expression is evaluated, which says what it can see.
package enum Moment: Sendable, Hashable {
    /// Before a request is made: `$`, `request` and `response` do not exist yet.
    case request
    /// When header fields and credentials are made: `request` is there, so that they can sign it.
    case sending
    /// After the response: `$` is its data.
    case response
    /// When the graph has ended.
    case end
}

/// What the value of an expression is for, which says where a secret in it would go.
package enum Purpose: Sendable, Hashable {
    /// The URL of a request, its query apart.
    case address
    /// The query of a request's URL.
    case query
    /// A header field.
    case header
    /// Credentials.
    case credential
    /// The body of a request.
    case body
    /// Whether, how long or how often something is done.
    case control
    /// The data of a response.
    case data
    /// An expectation of a response.
    case expectation
    /// A named value of a request or step.
    case output
    /// A named value that is marked as a secret.
    case secretOutput
    /// A named value of a graph, which `outputs.json` has.
    case result
    /// A line or message that is shown.
    case message
    /// What tells requests apart.
    case key
    /// The name of a file.
    case fileName
    /// What is written to a file.
    case record
    /// A value that a graph keeps for the next run.
    case state
    /// The input of an endpoint or graph.
    case argument
    /// A named value within a request.
    case variable
}

/// One use of the expression language in the manifest.
package struct ExpressionUse: Sendable {
    /// The expression or template.
    package var text: any EvaluatedText
    /// When it is evaluated.
    package var moment: Moment
    /// What for.
    package var purpose: Purpose
    /// Whether it is evaluated for each element of a list, which is `item`.
    package var seesItem: Bool

    /// A use; see the properties.
    package init(text: any EvaluatedText, moment: Moment, purpose: Purpose, seesItem: Bool = false) {
        self.text = text
        self.moment = moment
        self.purpose = purpose
        self.seesItem = seesItem
    }
}

/// A text in the manifest that might have been a template, and is a constant.
package struct ConstantUse: Sendable {
    /// The text.
    package var text: String
    /// Where it is written.
    package var span: SourceSpan
    /// When a template would be evaluated here.
    package var moment: Moment
    /// What for.
    package var purpose: Purpose
    /// Whether it would be evaluated for each element of a list, which is `item`.
    package var seesItem: Bool
}

/// What goes through the uses of the expression language in a part of the manifest.
package struct UseVisitor {
    private let visit: (ExpressionUse) -> Void
    private let visitConstant: ((ConstantUse) -> Void)?

    /// A visitor that calls a closure with each use, and another with each constant text in the place of a template.
    package init(_ visit: @escaping (ExpressionUse) -> Void, constant: ((ConstantUse) -> Void)? = nil) {
        self.visit = visit
        visitConstant = constant
    }

    /// Visits an expression, if there is one.
    package func expression(_ expression: ManifestExpression?, _ moment: Moment, _ purpose: Purpose, item: Bool = false)
    {
        guard let expression else { return }
        visit(ExpressionUse(text: expression, moment: moment, purpose: purpose, seesItem: item))
    }

    /// Visits a scalar: a template, or a constant text.
    package func scalar(_ scalar: ScalarTemplate?, _ moment: Moment, _ purpose: Purpose, item: Bool = false) {
        switch scalar?.content {
        case .template(let template):
            visit(ExpressionUse(text: template, moment: moment, purpose: purpose, seesItem: item))
        case .constant(let value, _):
            guard let visitConstant, let text = value.string, let span = scalar?.span else { return }
            visitConstant(ConstantUse(text: text, span: span, moment: moment, purpose: purpose, seesItem: item))
        case nil: return
        }
    }

    /// Visits every template in a value.
    package func value(_ value: ValueTemplate?, _ moment: Moment, _ purpose: Purpose, item: Bool = false) {
        switch value {
        case .scalar(let scalar): self.scalar(scalar, moment, purpose, item: item)
        case .list(let elements, _): for element in elements { self.value(element, moment, purpose, item: item) }
        case .mapping(let members, _): self.members(members, moment, purpose, item: item)
        case nil: break
        }
    }

    /// Visits every template in some members.
    package func members(_ members: [ValueTemplate.Member], _ moment: Moment, _ purpose: Purpose, item: Bool = false) {
        for member in members { value(member.value, moment, purpose, item: item) }
    }

    /// Visits a duration, if it is a template.
    package func duration(_ duration: DurationTemplate?, _ moment: Moment = .request, _ purpose: Purpose = .control) {
        guard case .template(let template) = duration else { return }
        visit(ExpressionUse(text: template, moment: moment, purpose: purpose))
    }
}
