import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON

/// One value of a data file, with its location.
package struct DataDocument: Sendable {
    enum Origin {
        /// A row of a CSV file with these column names.
        case csv(DataFile, Range<Int>, names: [String])
        /// A range of bytes of a JSON file.
        case json(DataFile, Range<Int>)
        /// The tree that the value was read from.
        case yaml(YAMLNode)
    }

    /// The value.
    package let value: JSON
    let origin: Origin

    /// Returns the locations of the values that the pointers refer to.
    package func places(of pointers: some Sequence<JSONPointer>) -> any DocumentLocations {
        switch origin {
        case .csv(let file, let row, let names): CSVLocations(of: row, names: names, in: file.source)
        case .json(let file, let part): JSONLocations(of: pointers, in: file.source, part: part)
        case .yaml(let node): node
        }
    }
}
