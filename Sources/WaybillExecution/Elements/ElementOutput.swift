import WaybillExpressions
import WaybillResults

/// Where the records of one element of a step go, or of a step that is no `forEach`.
struct ElementOutput: Sendable {
    /// The file.
    let file: StepFile
    /// The element's place in the list.
    let element: Int

    /// The records of an element; a step that is no `forEach` has one.
    init(_ file: StepFile, of element: Int = 0) {
        self.file = file
        self.element = element
    }

    /// Adds the records that are in some data; see `StepFile`.
    @discardableResult
    func append(
        _ data: ScopeValue,
        isList: Bool = false,
        in scope: RequestScope
    ) throws(Failure) -> RecordedOutput {
        try file.append(data, isList: isList, of: element, in: scope)
    }

    /// Waits until there is room for more records of the element.
    func room() async {
        await file.room(for: element)
    }

    /// Takes back all records of the element.
    func takeBack() throws(Failure) {
        try file.takeBack(element)
    }
}
