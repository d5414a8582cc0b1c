// How responses are requested and decoded: `accept`, `decoding`, `compression`, `maxBody`, `filters`,
// `downloads`.

/// The media ranges that a response can have (`accept`).
package struct AcceptSetting: WholeSetting {
    package static let key = "accept"
    /// The media ranges; `nil` for any.
    package let ranges: [MediaRange]?

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        ranges = node.sequence?.compactMap { $0.text.flatMap { MediaRange($0) } }
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
    /// As comma-separated values with a header row (RFC 4180).
    case csv
    /// As a property list, in XML or binary.
    case plist
    /// As a string.
    case text
    /// Not decoded: the data is the bytes of the body.
    case bytes
}

/// Whether compressed responses are requested (`compression`).
package struct CompressionSetting: BooleanSetting {
    package static let key = "compression"
    /// The value if none is specified.
    package static let `default` = true
    /// Whether `Accept-Encoding` offers the codings that Waybill can decode.
    package let isOn: Bool
}

/// The maximum size of a response (`maxBody`).
package struct MaxBodySetting: WholeSetting {
    package static let key = "maxBody"
    /// The size in bytes if none is specified.
    package static let `default` = 64 << 20
    /// The size in bytes, after decompression.
    package let bytes: Int

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let bytes = decoder.byteSize(node) else { return nil }
        self.bytes = bytes
    }
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
    /// The media ranges that a response can have; a value of `nil` allows any.
    package var accept: Setting<[MediaRange]?>? { last(AcceptSetting.self)?.map(\.ranges) }
    /// How a response is decoded.
    package var decoding: Setting<Decoding>? { last(Decoding.self) }
    /// Whether compressed responses are requested.
    package var compression: Setting<Bool>? { last(CompressionSetting.self)?.map(\.isOn) }
    /// The maximum size of a response in bytes, after decompression.
    package var maxBody: Setting<Int>? { last(MaxBodySetting.self)?.map(\.bytes) }
    /// Filters that are applied to the decoded response.
    package var filters: [Setting<FilterEntry>] { all(FilterEntry.self) }
    /// The folder that downloads are written to.
    package var downloads: Setting<ScalarTemplate>? { last(DownloadsSetting.self)?.map(\.folder) }
}
