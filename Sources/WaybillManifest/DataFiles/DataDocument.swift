package import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// One value of a data file, which knows where it stands.
package struct DataDocument {
    enum Origin {
        /// These bytes of a file.
        case json(DataFile, Range<Int>)
        /// The tree that it was read into.
        case yaml(YAMLNode)
    }

    /// The value.
    package let value: JSON
    let origin: Origin

    /// Where the values stand that some pointers lead to.
    package func places(of pointers: some Sequence<JSONPointer>) -> any DocumentPlaces {
        switch origin {
        case .json(let file, let part): JSONPlaces(of: pointers, in: file.source, part: part)
        case .yaml(let node): node
        }
    }
}
