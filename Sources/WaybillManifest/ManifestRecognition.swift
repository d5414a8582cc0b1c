package import WaybillDiagnostics
import WaybillJSON

/// Decides which YAML files of a folder are manifests.
package enum ManifestRecognition {
    private static let key = Array("waybill".utf8)
    /// The depth of nested values at which the loader rejects a file.
    private static let maximumDepth = YAMLReader.Limits().maximumDepth

    /// Whether a file must be loaded as a manifest: its first document is a mapping with the key `waybill`, however that is
    /// spelled. A file that is not a text in YAML is loaded too, and so is one that mentions the key and has a syntax
    /// error before it, or that has an error and a line that starts with the key: the loader reports the error.
    package static func isManifest(_ file: SourceFile) -> Bool {
        if TextCheck.diagnostic(for: file) != nil { return true }
        let hasKey = file.bytes.contains(key)
        // Without an escape, the key is spelled with its own letters.
        guard hasKey || file.bytes.contains(UInt8(ascii: "\\")) else { return false }
        var search = RootKeySearch(key: key, maximumDepth: maximumDepth)
        let failure = YAMLEventParser.parse(file) { search.take($0, $1) }
        switch search.result {
        case .found: return true
        case .resolved:
            let (document, diagnostics) = YAMLReader().read(file)
            return document?["waybill"] != nil || diagnostics.hasErrors && hasKey
        case .invalid: return hasKey
        case nil:
            if failure != nil { return hasKey }
            let lines = [Array("\n".utf8) + key, Array("\r".utf8) + key].map { $0 + [UInt8(ascii: ":")] }
            return lines.contains { file.bytes.contains($0) } && YAMLReader().read(file).diagnostics.hasErrors
        }
    }
}

extension ManifestRecognition {
    /// The size of a file in bytes up to which it is searched for the keys of a manifest.
    private static let maximumSize = 1 << 20

    /// Whether a file was meant as a manifest: it has other keys of one, and its key `waybill` is misspelt, or it has graphs.
    package static func isMeant(_ file: SourceFile) -> Bool {
        guard file.bytes.count <= maximumSize, let root = YAMLReader().read(file).0?.mapping,
            ["services", "endpoints", "graphs"].contains(where: { root[$0]?.mapping != nil })
        else { return false }
        return root["graphs"] != nil && root["services"] != nil
            || root.names.contains { NearestName.of($0, among: ["waybill"]) != nil }
    }
}

/// Searches the keys of the mapping at the root of the first document.
private struct RootKeySearch {
    /// What ended the search before the end of the document.
    enum Result {
        /// The mapping has the key.
        case found
        /// A key is an alias or merges another mapping, so that the tree is needed.
        case resolved
        /// The values are nested too deeply.
        case invalid
    }

    let key: [UInt8]
    let maximumDepth: Int
    private(set) var result: Result?
    /// The number of collections that are open.
    private var depth = 0
    /// Whether the next node of the root mapping is a key.
    private var expectsKey = true

    init(key: [UInt8], maximumDepth: Int) {
        (self.key, self.maximumDepth) = (key, maximumDepth)
    }

    /// Takes an event of the parser; returns whether the search continues.
    mutating func take(_ event: YAMLEvent, _ scalar: [UInt8]) -> Bool {
        switch event.kind {
        case .documentStart, .other: return true
        case .scalar, .alias:
            // A document without a collection.
            guard depth > 0 else { return false }
            if depth == 1, expectsKey { result = end(at: event, scalar) }
            if depth == 1 { expectsKey.toggle() }
        case .sequenceStart, .mappingStart:
            if depth == 0, case .sequenceStart = event.kind { return false }
            depth += 1
            if depth > maximumDepth { result = .invalid }
        case .sequenceEnd, .mappingEnd:
            depth -= 1
            if depth == 0 { return false }
            if depth == 1 { expectsKey.toggle() }
        }
        return result == nil
    }

    /// How a key of the root mapping ends the search.
    private func end(at event: YAMLEvent, _ scalar: [UInt8]) -> Result? {
        switch event.kind {
        case .alias: .resolved
        case .scalar where scalar == key: .found
        case .scalar where scalar.elementsEqual("<<".utf8): .resolved
        default: nil
        }
    }
}
