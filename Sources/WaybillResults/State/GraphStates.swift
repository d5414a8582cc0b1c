package import WaybillJSON

/// The values that graphs keep from one run to the next.
package struct GraphStates: Sendable, Equatable {
    /// The values, by the name of the graph.
    package var values: [String: JSONObject]
    /// The path of the file that they are stored in; `nil` if they are not stored.
    package var file: String?

    /// Creates states; see the properties.
    package init(_ values: [String: JSONObject] = [:], file: String? = nil) {
        self.values = values
        self.file = file
    }

    /// Reads the states from a journal or a file. Anything invalid is treated as no state.
    init(json: JSON?, file: String?) {
        let states = (json?.object ?? JSONObject()).compactMap { graph, state in state.object.map { (graph, $0) } }
        self.init(Dictionary(states) { first, _ in first }, file: file)
    }
}
