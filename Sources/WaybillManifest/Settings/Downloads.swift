/// The folder that downloads are written to (`downloads`).
package struct DownloadsSetting: WholeSetting {
    package static let key = "downloads"
    /// The path of the folder, relative to the results folder.
    package let folder: ScalarTemplate

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let folder = decoder.scalarTemplate(node) else { return nil }
        self.folder = folder
    }

    package func visitUses(_ visitor: UseVisitor) { visitor.scalar(folder, .request, .fileName) }
}

extension Settings {
    /// The folder that downloads are written to.
    package var downloads: Setting<ScalarTemplate>? { last(DownloadsSetting.self)?.map(\.folder) }
}
