import WaybillFormats
import WaybillJSON

/// The data that is stored next to a partial file. The file is resumed only if its bytes are certain to be those of the
/// server's file.
package struct DownloadRecord: Sendable, Equatable {
    /// The URL that was requested first, before redirects, without secrets.
    package var url: String
    /// The digest of the URL that responded, after redirects. A validator identifies bytes only together with the URL
    /// (RFC 9110, section 8.8.1). It is a digest because the target of a redirect may contain credentials.
    package var source: String
    /// The validator that identifies the bytes.
    package var validator: EntityValidator
    /// The `Last-Modified` of a response whose validator is its tag. Some servers repeat a tag for changed bytes.
    package var lastModified: String?
    /// The size of the whole file, if the server gave it.
    package var total: Int?
    /// The name that the server suggested.
    package var name: String?

    /// Creates a record from its properties.
    ///
    /// - Parameter source: The URL that responded, without secrets; `nil` if it is the first one.
    package init(
        url: String,
        source: String? = nil,
        validator: EntityValidator,
        lastModified: String? = nil,
        total: Int? = nil,
        name: String? = nil
    ) {
        self.url = url
        self.source = Self.digest(of: source ?? url, requestedAs: url)
        self.validator = validator
        self.lastModified = lastModified
        self.total = total
        self.name = name
    }

    /// Returns the record without a name that contains a secret; nil if the validator does.
    func without(_ containsSecret: (String) -> Bool) -> DownloadRecord? {
        guard !containsSecret(validator.text), !containsSecret(lastModified ?? "") else { return nil }
        var record = self
        record.name = name.flatMap { containsSecret($0) ? nil : $0 }
        return record
    }

    /// The path of the record of a partial file.
    package static func path(ofPart part: String) -> String { part + ".json" }

    /// Parses a record; nil for anything else.
    init?(_ text: [UInt8]) {
        guard let json = try? JSONParser().parse(text), let url = json["url"]?.string,
            let source = json["source"]?.string
        else { return nil }
        if let tag = json["etag"]?.string, EntityValidator.isUsable(tag) {
            validator = .tag(tag)
            lastModified = json["lastModified"]?.string
        } else if let date = json["lastModified"]?.string {
            validator = .lastModified(date)
        } else {
            return nil
        }
        self.url = url
        self.source = source
        total = json["total"]?.number?.int
        name = json["name"]?.string
    }

    /// Whether a response has bytes of the same file: it comes from the same URL and repeats the validator, and its
    /// `Last-Modified`, if both are known, is the same.
    ///
    /// - Parameter source: The URL that responded, without secrets.
    func matches(_ headers: HTTPFields, from source: String) -> Bool {
        let dates = headers.values(named: "Last-Modified")
        return self.source == Self.digest(of: source, requestedAs: url) && validator.isRepeated(in: headers)
            && dates.allSatisfy { $0 == lastModified ?? $0 }
    }

    /// Returns the digest of the URL that responded. The query of the target of a redirect often has a signature that
    /// differs each time, and is left out.
    private static func digest(of source: String, requestedAs url: String) -> String {
        guard source != url else { return Digest.sha256(of: Array(source.utf8)) }
        let path = source.prefix { $0 != "?" }
        let fields = source[path.endIndex...].dropFirst().split(separator: "&")
        let names = fields.map { $0.prefix { $0 != "=" }.lowercased() }
        let signature = signatures.filter { names.contains($0.key) }.flatMap { [$0.key] + $0.value }
        let others = zip(fields, names).filter { !signature.contains($1) }.map(\.0)
        return Digest.sha256(of: Array("\(path)?\(others.joined(separator: "&"))".utf8))
    }

    /// The fields of a query that belong to the signature of a URL, by the field that shows its kind: those of AWS and
    /// CloudFront, Google Cloud, Azure (and GitHub), Alibaba Cloud, Tencent Cloud and Akamai.
    private static let signatures = [
        "x-amz-signature": [
            "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-expires", "x-amz-security-token",
            "x-amz-signedheaders",
        ],
        "awsaccesskeyid": ["expires", "signature", "x-amz-security-token"],
        "key-pair-id": ["expires", "policy", "signature", "hash-algorithm"],
        "x-goog-signature": [
            "x-goog-algorithm", "x-goog-credential", "x-goog-date", "x-goog-expires", "x-goog-signedheaders",
        ],
        "googleaccessid": ["expires", "signature"],
        "sig": ["jwt", "se", "sip", "ske", "skoid", "sks", "skt", "sktid", "skv", "sp", "spr", "sr", "st", "sv"],
        "x-oss-signature": [
            "x-oss-additional-headers", "x-oss-credential", "x-oss-date", "x-oss-expires", "x-oss-security-token",
            "x-oss-signature-version",
        ],
        "ossaccesskeyid": ["expires", "security-token", "signature"],
        "q-signature": [
            "q-ak", "q-header-list", "q-key-time", "q-sign-algorithm", "q-sign-time", "q-url-param-list",
            "x-cos-security-token",
        ],
        "auth_key": [], "hdnea": [], "hdnts": [],
    ]

    /// `{url, source, etag|lastModified, total, name}`
    var text: [UInt8] {
        var object = JSONObject()
        object["url"] = .string(url)
        object["source"] = .string(source)
        switch validator {
        case .tag(let text):
            object["etag"] = .string(text)
            if let lastModified { object["lastModified"] = .string(lastModified) }
        case .lastModified(let text): object["lastModified"] = .string(text)
        }
        if let total { object["total"] = .number(JSONNumber(total)) }
        if let name { object["name"] = .string(name) }
        var text: [UInt8] = []
        JSONWriter().write(.object(object), to: &text)
        return text + [UInt8(ascii: "\n")]
    }
}
