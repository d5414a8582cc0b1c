import WaybillJSON

/// Follows paths: from a root through the names of the scope, then through JSON.
extension Evaluator {
    /// Returns the value of a path: of its node if it is singular, otherwise the list of all matches.
    mutating func value(
        _ query: CompiledQuery,
        _ expression: CompiledExpression,
        at element: JSON?
    ) throws(EvaluationError) -> ScopeValue? {
        guard let (start, count) = try start(query, expression.context, at: element),
            try !hasNothing(query, from: count, in: start, expression.context)
        else { return nil }
        if let found = try follow(query.path, from: count, in: start, query.range) { return found }
        if expression.context != .plain { return nil }
        throw missing(query.path, from: count, in: start.json, isSecret: start.isSecret, at: query.range)
    }

    /// Returns the number of nodes that a path matches; 0 if its root does not exist.
    mutating func count(
        _ query: CompiledQuery,
        _ context: CompiledExpression.Context,
        at element: JSON?
    ) throws(EvaluationError) -> Int {
        if let (start, count) = try start(query, .guarded, at: element) {
            _ = try hasNothing(query, from: count, in: start, context)
        }
        return try optionalNodes(query, .guarded, at: element)?.nodes.count ?? 0
    }

    /// Returns all nodes that a path matches, and whether they are secret; `nil` if its root does not exist and the
    /// context allows that.
    mutating func optionalNodes(
        _ query: CompiledQuery,
        _ context: CompiledExpression.Context,
        at element: JSON?
    ) throws(EvaluationError) -> (nodes: [Node], isSecret: Bool)? {
        guard let (start, count) = try start(query, context, at: element),
            try !hasNothing(query, from: count, in: start, context)
        else { return nil }
        if query.path.isSingular {
            let found = try follow(query.path, from: count, in: start, query.range)
            return (found.map { [Node(value: $0.json)] } ?? [], start.isSecret)
        }
        let root = Node(value: start.json)
        return (try nodes(query.path.segments[count...], from: root, query.range), start.isSecret)
    }

    /// Returns the value that a path starts with, and how many of its segments were names of the scope.
    private func start(
        _ query: CompiledQuery,
        _ context: CompiledExpression.Context,
        at element: JSON?
    ) throws(EvaluationError) -> (value: ScopeValue, count: Int)? {
        switch query.root {
        case .current:
            return (ScopeValue(element ?? .null), 0)
        case .document:
            if let current = scope.current { return (current, 0) }
            if context == .guarded { return nil }
            throw EvaluationError(.unavailable, "'$' has no value here", at: query.range)
        case .name(let name):
            if name == "item", let item = scope.item { return (item, 0) }
            guard let node = scope.root.member(name) else {
                if context == .guarded { return nil }
                throw unknownName(name, query, context)
            }
            return try walk(node, query, context)
        }
    }

    /// Whether a path leads into the content of a response that has no members and elements. That is an error, so that a page
    /// with an error is not an empty list, unless the context handles it.
    private func hasNothing(
        _ query: CompiledQuery,
        from count: Int,
        in start: ScopeValue,
        _ context: CompiledExpression.Context
    ) throws(EvaluationError) -> Bool {
        guard start.content != nil, count < query.path.segments.count else { return false }
        if context != .plain { return true }
        throw missing(query.path, from: count, in: start.json, isSecret: start.isSecret, at: query.range)
    }

    private func walk(
        _ node: ScopeNode,
        _ query: CompiledQuery,
        _ context: CompiledExpression.Context
    ) throws(EvaluationError) -> (value: ScopeValue, count: Int)? {
        var node = node
        var count = 0
        while true {
            switch node {
            case .value(let value): return (value, count)
            case .unavailable(let reason):
                if context == .guarded { return nil }
                throw EvaluationError(
                    .unavailable,
                    "'\(query.path.prefix(count))' has no value: \(reason)",
                    at: query.range
                )
            case .namespace(let namespace):
                guard count < query.path.segments.count, case .name(let name) = query.path.segments[count] else {
                    return (namespace.materialized, count)
                }
                guard let member = namespace.member(name) else {
                    if context != .plain { return nil }
                    throw missingMember(query.path, count, namespace.memberNames, at: query.range)
                }
                node = member
                count += 1
            }
        }
    }

    /// Returns the value of the segments from an index on; `nil` if they are singular and match nothing.
    mutating func follow(
        _ path: CompiledPath,
        from count: Int,
        in start: ScopeValue,
        _ range: Range<Int>
    ) throws(EvaluationError) -> ScopeValue? {
        if count == path.segments.count, path.isSingular { return start }
        if !path.isSingular {
            let root = Node(value: start.json)
            let nodes = try nodes(path.segments[count...], from: root, range)
            return ScopeValue(.array(nodes.map(\.value)), isSecret: start.isSecret)
        }
        var value = start.json
        for segment in path.segments[count...] {
            guard let next = Self.child(of: value, segment) else { return nil }
            value = next
        }
        return ScopeValue(value, isSecret: start.isSecret)
    }

    /// Returns the child that a singular segment selects.
    static func child(of value: JSON, _ segment: CompiledSegment) -> JSON? {
        switch (segment, value) {
        case (.name(let name), .object(let object)): object[name]
        case (.index(let index), .array(let elements)):
            elements.element(at: index)
        default: nil
        }
    }

    // MARK: Node lists

    /// Returns all nodes that segments match, in the order of RFC 9535, section 2.5.
    mutating func nodes(
        _ segments: ArraySlice<CompiledSegment>,
        from root: Node,
        _ range: Range<Int>
    ) throws(EvaluationError) -> [Node] {
        var nodes = [root]
        for segment in segments {
            var matched: [Node] = []
            for node in nodes {
                switch segment {
                case .name(let name): try select(.name(name), node, into: &matched, range)
                case .index(let index): try select(.index(index), node, into: &matched, range)
                case .children(let selectors):
                    for selector in selectors { try select(selector, node, into: &matched, range) }
                case .descendants(let selectors): try descend(selectors, node, into: &matched, range)
                }
            }
            nodes = matched
        }
        return nodes
    }

    /// Applies selectors to a node and its descendants, each before its own children. The stack is an array, so the
    /// depth of a document does not matter.
    private mutating func descend(
        _ selectors: [Selector<CompiledExpression>],
        _ root: Node,
        into matched: inout [Node],
        _ range: Range<Int>
    ) throws(EvaluationError) {
        var pending = [root]
        while let node = pending.popLast() {
            for selector in selectors { try select(selector, node, into: &matched, range) }
            let first = pending.count
            switch node.value {
            case .array(let elements):
                try spend(elements.count, at: range)
                for (index, element) in elements.enumerated() where element.hasChildren {
                    pending.append(node.child(element, .index(index)))
                }
            case .object(let object):
                try spend(object.count, at: range)
                for (name, member) in object where member.hasChildren {
                    pending.append(node.child(member, .name(name)))
                }
            default: break
            }
            pending[first...].reverse()
        }
    }

    private mutating func select(
        _ selector: Selector<CompiledExpression>,
        _ node: Node,
        into matched: inout [Node],
        _ range: Range<Int>
    ) throws(EvaluationError) {
        try spend(1, at: range)
        let before = matched.count
        switch (selector, node.value) {
        case (.name(let name), .object(let object)):
            if let member = object[name] {
                matched.append(node.child(member, .name(name)))
            }
        case (.index(let index), .array(let elements)):
            if let element = elements.element(at: index) {
                let position = index < 0 ? elements.count + index : index
                matched.append(node.child(element, .index(position)))
            }
        case (.wildcard, .array(let elements)):
            for (index, element) in elements.enumerated() {
                matched.append(node.child(element, .index(index)))
            }
        case (.wildcard, .object(let object)):
            for (name, member) in object {
                matched.append(node.child(member, .name(name)))
            }
        case (.slice(let start, let end, let step), .array(let elements)):
            for index in Self.indices(start, end, step, count: elements.count) {
                matched.append(node.child(elements[index], .index(index)))
            }
        case (.filter(let condition), .array(let elements)):
            for (index, element) in elements.enumerated() {
                try spend(1, at: range)
                if try truth(condition, at: element) == true {
                    matched.append(node.child(element, .index(index)))
                }
            }
        case (.filter(let condition), .object(let object)):
            for (name, member) in object {
                try spend(1, at: range)
                if try truth(condition, at: member) == true {
                    matched.append(node.child(member, .name(name)))
                }
            }
        default: break
        }
        try spend(matched.count - before, at: range)
        if matched.count > EvaluationLimits.elements {
            throw EvaluationError(.limit, "this path matches too many nodes", at: range)
        }
    }

    /// Returns the indices of a slice (RFC 9535, section 2.3.4.2.2).
    private static func indices(_ start: Int?, _ end: Int?, _ step: Int, count: Int) -> StrideTo<Int> {
        func normalized(_ bound: Int) -> Int { bound >= 0 ? bound : count + bound }
        if step == 0 { return stride(from: 0, to: 0, by: 1) }
        if step > 0 {
            let lower = min(max(normalized(start ?? 0), 0), count)
            return stride(from: lower, to: min(max(normalized(end ?? count), 0), count), by: step)
        }
        let upper = min(max(normalized(start ?? count - 1), -1), count - 1)
        let lower = min(max(end.map(normalized) ?? -1, -1), count - 1)
        return stride(from: upper, to: lower, by: step)
    }
}

extension [JSON] {
    /// Returns the element at an index, counted from the end if negative.
    fileprivate func element(at index: Int) -> JSON? {
        let position = index < 0 ? count + index : index
        // Not with `?:`, where `nil` would become JSON's null.
        guard indices.contains(position) else { return nil }
        return self[position]
    }
}

extension JSON {
    fileprivate var hasChildren: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}
