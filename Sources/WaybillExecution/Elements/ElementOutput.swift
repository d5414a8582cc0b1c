import WaybillExpressions
import WaybillResults

/// Where the records of one element of a step go, or of a step without `forEach`.
struct ElementOutput: Sendable {
    /// The file.
    let file: StepFile
    /// The element's index in the list.
    let element: Int

    /// The output of an element; a step without `forEach` has a single one.
    init(_ file: StepFile, of element: Int = 0) {
        self.file = file
        self.element = element
    }

    /// Adds the records that some data contains; see `StepFile`.
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

    /// Removes all records of the element.
    func removeRecords() throws(Failure) {
        try file.removeRecords(element)
    }
}
