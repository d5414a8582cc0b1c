import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON

/// One value of a data file, which knows where it stands.
package struct DataDocument: Sendable {
    enum Origin {
        /// A row of a file, under these names.
        case csv(DataFile, Range<Int>, names: [String])
        /// These bytes of a file.
        case json(DataFile, Range<Int>)
        /// The tree that it was read into.
        case yaml(YAMLNode)
    }

    /// The value.
    package let value: JSON
    let origin: Origin

    /// Where the values stand that some pointers lead to.
    package func places(of pointers: some Sequence<JSONPointer>) -> any DocumentLocations {
        switch origin {
        case .csv(let file, let row, let names): CSVLocations(of: row, names: names, in: file.source)
        case .json(let file, let part): JSONLocations(of: pointers, in: file.source, part: part)
        case .yaml(let node): node
        }
    }
}
