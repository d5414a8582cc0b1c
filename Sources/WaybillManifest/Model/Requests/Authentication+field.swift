import WaybillDiagnostics
import WaybillJSON

extension Authentication {
    /// Whether a header field or query parameter of a request is the one that these credentials are sent in. Of the two,
    /// the one at the nearer level is sent.
    func isSent(in value: SettingValue) -> Bool {
        switch (self, value) {
        case (.none, _): false
        case (.apiKey(.header, let field, _), .header(let name, _)):
            field.value.lowercased() == name.value.lowercased()
        case (.apiKey(.query, let parameter, _), .query(let name, _)): parameter.value.hasSameCodePoints(as: name.value)
        case (.apiKey, _): false
        case (_, .header(let name, _)): name.value.lowercased() == "authorization"
        default: false
        }
    }
}
