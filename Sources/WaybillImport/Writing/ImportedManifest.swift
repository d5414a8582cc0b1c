/// The manifest of an imported collection, and what it does not contain.
package struct ImportedManifest: Sendable {
    /// The manifest.
    package var text: String
    /// What was not imported, in the order of the source.
    package var losses: [ImportLoss]
    /// The environment variables of the secrets, with the values that the source has.
    package var secrets: [(variable: String, value: String?)]

    /// Writes a collection.
    package init(_ collection: ImportedCollection) {
        if let manifest = collection.manifest {
            self = manifest
            return
        }
        var writer = ManifestWriter(collection.passingCapturedCredentials())
        // The first time finds the secrets, whose values must not appear before their own fields either; the second time
        // finds the requests that differ only in values.
        for _ in 0..<2 {
            _ = writer.manifestEntries()
            writer = ManifestWriter(after: writer)
        }
        self.init(writer.manifestEntries(), by: writer)
    }

    /// Writes entries, with the secrets and losses of a writer.
    init(_ entries: [ManifestEntry], by writer: ManifestWriter) {
        var writer = writer
        var output = YAMLWriter()
        let masked = writer.secrets.maskedManifest(entries)
        output.write(masked)
        text = output.text
        if masked != entries {
            writer.losses.add("a secret in the manifest", "it was replaced by '***'", at: nil)
        }
        losses = writer.losses.map { loss in
            ImportLoss(writer.note(loss.what), writer.note(loss.reason), at: loss.span)
        }
        secrets = writer.secrets.secrets.map { (NameForms.environmentVariable($0.name), $0.value) }
    }
}
