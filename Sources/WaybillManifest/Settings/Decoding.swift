// How responses are requested and decoded: `accept`, `decoding`, `compression`, `maxBody`, `filters`,
// `downloads`, `namespaces`.

package import WaybillDiagnostics

/// The media ranges that a response can have (`accept`); `nil` for any.
package struct AcceptSetting: ValueSetting {
    package static let key = "accept"
    package let value: [MediaRange]?

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> [MediaRange]?? {
        .some(node.sequence?.compactMap { $0.text.flatMap { MediaRange($0) } })
    }
}

/// How a response is decoded (`decoding`).
package enum Decoding: String, WordSetting, CaseIterable {
    package static let key = "decoding"
    /// The value if none is specified.
    package static let `default` = Self.auto

    /// By its `Content-Type`.
    case auto
    /// As JSON (RFC 8259).
    case json
    /// As one JSON value per line.
    case ndjson
    /// As server-sent events.
    case sse
    /// As comma-separated values with a header row (RFC 4180).
    case csv
    /// As a property list, in XML or binary.
    case plist
    /// As a string of XML 1.0, which is well-formed.
    case xml
    /// As a string of well-formed XML, which is made of a page in HTML.
    case html
    /// As a string.
    case text
    /// Not decoded: the data is the bytes of the body.
    case bytes
}

/// The namespace to which a prefix in expressions of XPath is bound (`namespaces`), in the whole manifest.
package struct NamespaceSetting: ReadableSetting {
    package static let key = "namespaces"
    /// The prefix.
    package let name: Spanned<String>
    /// The namespace.
    package let namespace: Spanned<String>

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        for (name, value) in decoder.constantNames(node, isData: false) {
            if let text = decoder.text(value) { add(Self(name: name, namespace: text), value) }
        }
    }

    package var merging: SettingMerging { .byName(name.value) }
}

/// Whether compressed responses are requested (`compression`): whether `Accept-Encoding` offers the codings that Waybill
/// can decode.
package struct CompressionSetting: ValueSetting {
    package static let key = "compression"
    /// The value if none is specified.
    package static let `default` = true
    package let value: Bool
}

/// The maximum size of a response in bytes, after decompression (`maxBody`).
package struct MaxBodySetting: ValueSetting {
    package static let key = "maxBody"
    /// The size in bytes if none is specified.
    package static let `default` = 64 << 20
    package let value: Int

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> Int? { decoder.byteSize(node) }
}

/// An entry of the list of filters that are applied to the decoded response (`filters`).
extension FilterEntry: ReadableSetting {
    package static let key = "filters"

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        for node in node.sequence ?? [] {
            if let entry = decoder.filterEntry(node) { add(entry, node) }
        }
    }

    package var merging: SettingMerging { .adds() }
    package var dataNeed: DataNeed { .data }
}

/// The folders of downloads (`downloads`): that of the files alone, or an object with both.
package enum DownloadsSetting: ReadableSetting {
    package static let key = "downloads"

    /// The folder that the files are written to, relative to the results folder.
    case folder(ScalarTemplate)
    /// The folder in which unfinished downloads wait for the next run, relative to the manifest.
    case unfinished(Spanned<String>)

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        if let folder = node.mapping == nil ? node : node["folder"], let path = decoder.scalarTemplate(folder) {
            add(.folder(path), folder)
        }
        if let unfinished = node["unfinished"], let path = decoder.text(unfinished) {
            add(.unfinished(path), unfinished)
        }
    }

    package var merging: SettingMerging {
        switch self {
        case .folder: .byName("folder")
        case .unfinished: .byName("unfinished")
        }
    }

    package func visitUses(_ visitor: UseVisitor) {
        if case .folder(let path) = self { visitor.scalar(path, .request, .fileName) }
    }

    package var namedFiles: [NamedFile] {
        if case .unfinished(let path) = self { [NamedFile(path: path, kind: .cache)] } else { [] }
    }
}

/// The settings of this file, looked up.
extension Settings {
    package var accept: Setting<AcceptSetting.Value>? { self[AcceptSetting.self] }
    package var decoding: Setting<Decoding>? { self[Decoding.self] }
    package var namespaces: [Setting<NamespaceSetting>] { all(NamespaceSetting.self) }
    package var compression: Setting<CompressionSetting.Value>? { self[CompressionSetting.self] }
    package var maxBody: Setting<MaxBodySetting.Value>? { self[MaxBodySetting.self] }
    package var downloads: Setting<ScalarTemplate>? {
        last(DownloadsSetting.self) { if case .folder(let path) = $0 { path } else { nil } }
    }
    package var unfinishedDownloads: Setting<Spanned<String>>? {
        last(DownloadsSetting.self) { if case .unfinished(let path) = $0 { path } else { nil } }
    }
    package var filters: [Setting<FilterEntry>] { all(FilterEntry.self) }
}
