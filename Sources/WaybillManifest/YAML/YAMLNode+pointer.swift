package import WaybillDiagnostics
package import WaybillJSON

/// Finds nodes and spans by the reference tokens of a JSON Pointer (RFC 6901), already unescaped.
extension YAMLNode {
    /// Returns the node that the tokens refer to: a name in a mapping, a decimal index without leading zeros in a
    /// sequence.
    package func node(at tokens: some Sequence<String>) -> YAMLNode? {
        var node = self
        for token in tokens {
            switch node.content {
            case .scalar:
                return nil
            case .sequence(let elements):
                guard let index = Int(token), String(index) == token, elements.indices.contains(index) else {
                    return nil
                }
                node = elements[index]
            case .mapping(let mapping):
                guard let value = mapping[token] else { return nil }
                node = value
            }
        }
        return node
    }

    /// Returns the location of the value that the tokens refer to.
    package func span(at tokens: some Sequence<String>) -> SourceSpan? {
        node(at: tokens)?.span
    }

    /// Returns the location of the name that is the last token; `nil` for an element of a sequence and for the root.
    package func keySpan(at tokens: some BidirectionalCollection<String>) -> SourceSpan? {
        guard let name = tokens.last else { return nil }
        return node(at: tokens.dropLast())?.mapping?.entry(named: name)?.key.span
    }
}

extension YAMLNode: DocumentLocations {
    /// Returns the node that a pointer refers to.
    package func node(at pointer: JSONPointer) -> YAMLNode? { node(at: pointer.texts) }

    /// Returns the location of the value that a pointer refers to.
    package func span(at pointer: JSONPointer) -> SourceSpan? { span(at: pointer.texts) }

    /// Returns the location of the name that a pointer ends in; `nil` for an element of a sequence and for the root.
    package func keySpan(at pointer: JSONPointer) -> SourceSpan? { keySpan(at: pointer.texts) }
}

extension JSONPointer {
    /// The tokens as unescaped strings.
    fileprivate var texts: [String] {
        tokens.map { token in
            switch token {
            case .name(let name): name
            case .index(let index): String(index)
            }
        }
    }
}
