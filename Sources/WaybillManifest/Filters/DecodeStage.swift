import WaybillExpressions
import WaybillFormats
import WaybillJSON

/// Decodes a string in another format: `decode: json|plist`.
struct DecodeStage: FilterStage {
    static let key = "decode"
    var keepsElements: Bool { true }

    /// The formats that a string can have.
    enum Format: String {
        case json, plist
    }

    let format: Format

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let format: Format = decoder.word(node) else { return nil }
        self.format = format
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        guard let text = data.value.json.string else {
            throw data.refusal("'decode' requires a string, but the data is \(data.value.json.kind.phrase)")
        }
        return ScopeValue(try decode(Array(text.utf8), data), isSecret: data.value.isSecret)
    }

    private func decode(_ bytes: [UInt8], _ data: FilterData) throws(EvaluationFailure) -> JSON {
        switch format {
        case .json:
            do {
                return try JSONParser(stopsAtLimit: true).parse(bytes)
            } catch {
                throw data.refusal("the string is not JSON: \(error.message) at byte \(error.offset)")
            }
        case .plist:
            do {
                return try PropertyListParser().parse(bytes)
            } catch {
                throw data.refusal("the string is not a property list: \(error)")
            }
        }
    }
}
