package import WaybillDiagnostics

/// Where the values of a document stand in its text.
package protocol DocumentLocations {
    /// Where the whole value of the document stands.
    var span: SourceSpan { get }

    /// Where the value stands that a pointer leads to; `nil` where there is none.
    func span(at pointer: JSONPointer) -> SourceSpan?

    /// Where the name is written that a pointer ends in; `nil` for an element of a list and for the whole value.
    func keySpan(at pointer: JSONPointer) -> SourceSpan?
}
