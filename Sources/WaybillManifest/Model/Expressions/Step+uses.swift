extension RequestDefinition {
    /// Visits every use of the expression language in the request.
    package func visitUses(_ visitor: UseVisitor) {
        settings.visitUses(visitor)
        visitOwnUses(visitor)
    }

    /// Visits every use of the expression language in the request, except those in its settings.
    package func visitOwnUses(_ visitor: UseVisitor) {
        visitor.scalar(method?.value, .request, .control)
        visitor.scalar(address.text.value, .request, .address)
        for variable in vars { visitor.value(variable.value, .request, .variable) }
        for output in outputs { output.visitUses(visitor, .response) }
        download?.visitUses(visitor)
        paginate?.visitUses(visitor)
        for check in checks { check.visitUses(visitor) }
    }
}

extension Check {
    /// Visits every use of the expression language in a condition on inputs.
    package func visitUses(_ visitor: UseVisitor) {
        visitor.expression(that, .request, .control)
        visitor.scalar(message, .request, .message)
    }
}

extension Download {
    /// Visits every use of the expression language in the download.
    package func visitUses(_ visitor: UseVisitor) {
        visitor.scalar(to, .request, .fileName)
        visitor.expression(checksum?.value, .response, .expectation)
    }
}

extension OutputDefinition {
    /// Visits the use of the expression language in the value.
    package func visitUses(_ visitor: UseVisitor, _ moment: Moment, _ purpose: Purpose = .output) {
        visitor.expression(value, moment, isSecret ? .secretOutput : purpose)
    }
}

extension Step {
    /// Visits every use of the expression language in the step itself, but not in the steps inside it.
    ///
    /// - Parameters:
    ///   - outside: Visits the uses that are evaluated before the elements of `forEach` exist.
    ///   - inside: Visits all other uses.
    package func visitUses(outside: UseVisitor, inside: UseVisitor) {
        flow?.visitUses(outside: outside, inside: inside)
        if case .values = action { settings.visitUses(inside.at(.values)) } else { settings.visitUses(inside) }
        for variable in vars { inside.value(variable.value, .request, .variable) }
        for output in outputs { output.visitUses(inside, isRequest ? .response : .request) }
        switch action {
        case .call(let call), .graph(let call): inside.members(call.arguments, .request, .argument)
        case .request(let definition): definition.visitUses(inside)
        case .values(let values): for value in values { value.visitUses(inside, .request) }
        case .end(let condition): inside.expression(condition, .request, .control)
        case .group: break
        }
    }

    /// Whether the step sends requests itself.
    package var isRequest: Bool {
        switch action {
        case .call, .request: true
        case .graph, .group, .values, .end: false
        }
    }
}

extension Flow {
    /// Visits every use of the expression language; see `Step.visitUses(outside:inside:)`.
    package func visitUses(outside: UseVisitor, inside: UseVisitor) {
        outside.expression(when, .request, .control)
        outside.duration(delay)
        outside.duration(deadline?.value)
        if let forEach {
            inside.scalar(forEach.name, .request, .message)
            switch forEach.elements {
            case .expression(let expression): outside.expression(expression, .request, .data)
            case .list(let elements): for element in elements { outside.value(element, .request, .data) }
            }
        }
        for write in writes {
            // A file contains the records of all elements.
            outside.scalar(write.to, .request, .fileName)
            for check in write.checks {
                outside.expression(check.that, .written, .expectation)
                outside.scalar(check.message, .written, .message)
            }
            inside.expression(write.records, .response, .record)
            for column in write.columns { inside.expression(column.value, .response, .record, item: true) }
            for aggregate in write.aggregates { inside.expression(aggregate.value, .response, .record, item: true) }
        }
        until?.visitUses(inside)
        paginate?.visitUses(inside)
    }
}

extension Until {
    fileprivate func visitUses(_ visitor: UseVisitor) {
        visitor.expression(that, .response, .control)
        visitor.duration(every)
        visitor.duration(within)
        visitor.expression(fail?.when, .response, .control)
        visitor.scalar(fail?.message, .response, .message)
    }
}

extension Pagination {
    /// Visits every use of the expression language in it.
    package func visitUses(_ visitor: UseVisitor) {
        visitor.expression(items, .response, .data)
        visitor.expression(condition, .response, .control)
        switch style {
        case .next(let expression): visitor.expression(expression, .response, .address)
        case .cursor(_, let expression): visitor.expression(expression, .response, .query)
        case .link, .page, .offset: break
        }
    }
}

extension Settings {
    /// Visits every use of the expression language in the settings.
    package func visitUses(_ visitor: UseVisitor) {
        for index in entries.indices { entries[index].value.visitUses(visitor) }
    }
}
