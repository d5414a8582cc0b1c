package import WaybillJSON

/// The values that the graphs of a run keep from run to run.
package struct GraphStates: Sendable, Equatable {
    /// The values by the name of the graph.
    package var values: [String: JSONObject]
    /// The path of the file that they are stored in; `nil` if they are not.
    package var file: String?

    /// States; see the properties.
    package init(_ values: [String: JSONObject] = [:], file: String? = nil) {
        self.values = values
        self.file = file
    }

    /// Reads the states that a journal or a file has; anything else counts as none.
    init(json: JSON?, file: String?) {
        let states = (json?.object ?? JSONObject()).compactMap { graph, state in state.object.map { (graph, $0) } }
        self.init(Dictionary(states) { first, _ in first }, file: file)
    }
}
