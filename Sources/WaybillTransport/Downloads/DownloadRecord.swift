import WaybillJSON

/// The data that is stored next to a partial file. The file is resumed only if its bytes are certain to be those of the
/// server's file.
package struct DownloadRecord: Sendable, Equatable {
    /// The URL that was requested first, before redirects, without secrets.
    package var url: String
    /// The validator that identifies the bytes.
    package var validator: EntityValidator
    /// The size of the whole file, if the server gave it.
    package var total: Int?
    /// The name that the server suggested.
    package var name: String?

    /// Creates a record from its properties.
    package init(url: String, validator: EntityValidator, total: Int? = nil, name: String? = nil) {
        self.url = url
        self.validator = validator
        self.total = total
        self.name = name
    }

    /// Returns the record without a name that contains a secret; nil if the validator does.
    func without(_ containsSecret: (String) -> Bool) -> DownloadRecord? {
        guard !containsSecret(validator.text) else { return nil }
        var record = self
        record.name = name.flatMap { containsSecret($0) ? nil : $0 }
        return record
    }

    /// The path of the record of a partial file.
    package static func path(ofPart part: String) -> String { part + ".json" }

    /// Parses a record; nil for anything else.
    init?(_ text: [UInt8]) {
        guard let json = try? JSONParser().parse(text), let url = json["url"]?.string else { return nil }
        if let tag = json["etag"]?.string, EntityValidator.isUsable(tag) {
            validator = .tag(tag)
        } else if let date = json["lastModified"]?.string {
            validator = .lastModified(date)
        } else {
            return nil
        }
        self.url = url
        total = json["total"]?.number?.int
        name = json["name"]?.string
    }

    /// `{url, etag|lastModified, total, name}`
    var text: [UInt8] {
        var object = JSONObject()
        object["url"] = .string(url)
        switch validator {
        case .tag(let text): object["etag"] = .string(text)
        case .lastModified(let text): object["lastModified"] = .string(text)
        }
        if let total { object["total"] = .number(JSONNumber(total)) }
        if let name { object["name"] = .string(name) }
        var text: [UInt8] = []
        JSONWriter().write(.object(object), to: &text)
        return text + [UInt8(ascii: "\n")]
    }
}
