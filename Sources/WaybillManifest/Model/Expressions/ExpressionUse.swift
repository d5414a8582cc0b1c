package import WaybillDiagnostics
import WaybillJSON

/// When an expression is evaluated, which determines the names in its scope.
package enum Moment: Sendable, Hashable {
    /// Before a request is made: `$`, `request` and `response` do not exist yet.
    case request
    /// When the query and the parameters are made: `request` has those that do not read it, and those before.
    case content
    /// When header fields and credentials are made: `request` already exists, so that they can sign it.
    case sending
    /// After the response: `$` is its data.
    case response
    /// After the values of a step were computed: `$` is their object.
    case values
    /// When the records of a step are complete: their number and aggregates are known by name.
    case written
    /// When the graph has finished.
    case end
}

/// The purpose of an expression, which determines where a secret in its value would go.
package enum Purpose: Sendable, Hashable {
    /// The URL of a request, except its query.
    case address
    /// The query of a request's URL.
    case query
    /// A header field.
    case header
    case credential
    /// The body of a request.
    case body
    /// A decision whether, how long or how often something is done.
    case control
    /// The data of a response.
    case data
    /// An expectation of a response.
    case expectation
    /// A named value of a request or step.
    case output
    /// A named value that is marked as a secret.
    case secretOutput
    /// A named value of a graph, which is written to `outputs.json`.
    case result
    /// A message that is shown.
    case message
    /// A key that distinguishes requests.
    case key
    case fileName
    /// A record that is written to a file.
    case record
    /// A value that a graph keeps for the next run.
    case state
    /// The input of an endpoint or graph.
    case argument
    /// A named value within a request.
    case variable
}

/// A text of the manifest that an expression can be part of, and how its value is used.
package struct Use<Text: Sendable>: Sendable {
    package var text: Text
    /// When it is evaluated.
    package var moment: Moment
    /// The purpose of its value.
    package var purpose: Purpose
    /// Whether it is evaluated for each element of a list, with the element as `item`.
    package var seesItem: Bool

    package init(text: Text, moment: Moment, purpose: Purpose, seesItem: Bool = false) {
        self.text = text
        self.moment = moment
        self.purpose = purpose
        self.seesItem = seesItem
    }
}

/// One use of the expression language in the manifest.
package typealias ExpressionUse = Use<any EvaluatedText>

/// A string in the manifest that is a constant but could have been a template.
package typealias ConstantUse = Use<Spanned<String>>

/// Visits the uses of the expression language in a part of the manifest.
package struct UseVisitor {
    private let visit: (ExpressionUse) -> Void
    private let visitConstant: ((ConstantUse) -> Void)?

    /// Creates a visitor that calls one closure with each use, and another with each constant string in a template
    /// position.
    package init(_ visit: @escaping (ExpressionUse) -> Void, constant: ((ConstantUse) -> Void)? = nil) {
        self.visit = visit
        visitConstant = constant
    }

    /// This visitor, with another time of evaluation for every use.
    func at(_ moment: Moment) -> UseVisitor {
        func moved<Text>(_ use: Use<Text>) -> Use<Text> {
            var use = use
            use.moment = moment
            return use
        }
        return UseVisitor({ visit(moved($0)) }, constant: visitConstant.map { visit in { visit(moved($0)) } })
    }

    /// Visits an expression, if there is one.
    package func expression(_ expression: ManifestExpression?, _ moment: Moment, _ purpose: Purpose, item: Bool = false)
    {
        guard let expression else { return }
        visit(ExpressionUse(text: expression, moment: moment, purpose: purpose, seesItem: item))
    }

    /// Visits a scalar: a template or a constant string.
    package func scalar(_ scalar: ScalarTemplate?, _ moment: Moment, _ purpose: Purpose, item: Bool = false) {
        switch scalar?.content {
        case .template(let template):
            visit(ExpressionUse(text: template, moment: moment, purpose: purpose, seesItem: item))
        case .constant(let value, _):
            guard let visitConstant, let text = value.string, let span = scalar?.span else { return }
            visitConstant(ConstantUse(text: Spanned(text, at: span), moment: moment, purpose: purpose, seesItem: item))
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
