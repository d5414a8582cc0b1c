import CSchemas

/// The published schemas, as they were when the program was built.
package enum EmbeddedSchema {
    /// `schemas/manifest.schema.json`
    package static var manifest: [UInt8] {
        let text = embedded_manifest_schema()
        return Array(UnsafeBufferPointer(start: text.bytes, count: text.size))
    }
}
