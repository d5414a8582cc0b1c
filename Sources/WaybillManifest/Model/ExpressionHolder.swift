package import WaybillData
package import WaybillDiagnostics

/// A piece of the manifest that is evaluated: an expression, or a text with expressions in it.
package protocol ExpressionHolder: Sendable {
    /// The paths in it that begin at a name of the scope, at `$` or at `item`.
    var references: [Reference] { get }
    /// Where the whole scalar stands.
    var span: SourceSpan { get }
    /// Where a range of a reference stands.
    func span(of range: Range<Int>) -> SourceSpan
}

extension ManifestExpression: ExpressionHolder {
    package var references: [Reference] { expression.references }
}

extension ManifestTemplate: ExpressionHolder {
    package var references: [Reference] { template.references }
}

/// When an expression is evaluated, which says what it can see.
package enum Moment: Sendable, Hashable {
    /// When the address and the body of a request are made: `$`, `request` and `response` do not exist yet.
    case request
    /// When header fields and credentials are made: `request` is there, so that they can sign it.
    case sending
    /// When there is an answer: `$` is its data.
    case answer
    /// When the graph has ended.
    case end
}

/// One use of the expression language in the manifest.
package struct ExpressionUse: Sendable {
    /// The expression or template.
    package var holder: any ExpressionHolder
    /// When it is evaluated.
    package var moment: Moment

    /// A use of the expression language.
    package init(_ holder: any ExpressionHolder, _ moment: Moment) {
        self.holder = holder
        self.moment = moment
    }
}

extension Settings {
    /// Every use of the expression language in the settings.
    package var uses: [ExpressionUse] {
        let address = [baseURL?.value, version?.value].compactMap { $0 } + query.flatMap { $0.values.value ?? [] }
        let fields = headers.flatMap { $0.values.value ?? [] } + [userAgent?.value].compactMap { $0 }
        var uses = address.compactMap(\.template).map { ExpressionUse($0, .request) }
        uses += (fields + (auth?.value.scalars ?? [])).compactMap(\.template).map { ExpressionUse($0, .sending) }
        for parameter in params {
            uses += (parameter.value.value?.templates ?? []).map { ExpressionUse($0, .request) }
        }
        uses += (body?.value.templates ?? []).map { ExpressionUse($0, .request) }
        for duration in [timeout?.value, connectTimeout?.value] {
            if case .template(let template) = duration { uses.append(ExpressionUse(template, .request)) }
        }
        uses += filters.flatMap(\.value.uses)
        uses += expect.uses
        return uses
    }
}

extension BodyDefinition {
    /// Every template in the body.
    package var templates: [ManifestTemplate] {
        switch self {
        case .json(let value): value.templates
        case .form(let members): members.flatMap(\.value.templates)
        case .text(let scalar): [scalar.template].compactMap { $0 }
        }
    }
}

extension FilterEntry {
    /// Every use of the expression language in the entry itself.
    package var uses: [ExpressionUse] {
        guard case .stage(let stage) = self else { return [] }
        var uses = stage.expressions.map { ExpressionUse($0, .answer) }
        if case .select(_, let fallback?) = stage {
            uses += fallback.templates.map { ExpressionUse($0, .answer) }
        }
        return uses
    }
}

extension Expectation {
    /// Every use of the expression language in the expectation.
    package var uses: [ExpressionUse] {
        var uses = headers.compactMap { $0.glob.value?.template }.map { ExpressionUse($0, .answer) }
        uses += (json?.value.templates ?? []).map { ExpressionUse($0, .answer) }
        for check in body {
            uses.append(ExpressionUse(check.value.that, .answer))
            if let message = check.value.message?.template { uses.append(ExpressionUse(message, .answer)) }
        }
        if case .template(let template) = maxTime?.value { uses.append(ExpressionUse(template, .answer)) }
        return uses
    }
}

extension RequestDefinition {
    /// Every use of the expression language in the request.
    package var uses: [ExpressionUse] {
        var uses = settings.uses
        if let template = address.text.value.template { uses.append(ExpressionUse(template, .request)) }
        uses += outputs.map { ExpressionUse($0.value, .answer) }
        return uses
    }
}
