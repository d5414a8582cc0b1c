package import WaybillDiagnostics

/// An entry of a list of filters: a named filter or an inline stage.
package enum FilterEntry: Sendable {
    /// A filter by name, and whether it runs on every status, not only on 2xx.
    case named(Spanned<String>, onEveryStatus: Bool)
    /// An inline stage.
    case stage(any FilterStage)

    /// Visits every use of the expression language in the entry itself.
    package func visitUses(_ visitor: UseVisitor) {
        if case .stage(let stage) = self { stage.visitUses(visitor) }
    }
}

extension ManifestDecoder {
    /// Reads a list of filters.
    mutating func filters(_ node: YAMLNode, level: Level) -> [Setting<FilterEntry>] {
        (node.sequence ?? []).compactMap { node in
            filterEntry(node).map { Setting($0, at: node.span, level: level) }
        }
    }

    /// Reads a name, `{filter: NAME, for: any}`, or an inline stage.
    mutating func filterEntry(_ node: YAMLNode) -> FilterEntry? {
        if let name = text(node) { return .named(name, onEveryStatus: false) }
        if let filter = node["filter"] {
            return text(filter).map { .named($0, onEveryStatus: node["for"]?.text == "any") }
        }
        return FilterStages.read(node, &self).map(FilterEntry.stage)
    }
}
