package import WaybillFormats

/// Signs requests for AWS, with header fields (Signature Version 4, `AWS4-HMAC-SHA256`).
package struct AWSSigner: Sendable, Hashable {
    /// The region in the scope of signatures, such as `eu-central-1`.
    package var region: String
    /// The service in the scope of signatures, such as `s3`.
    package var service: String
    /// The id of the access key, which is sent.
    package var accessKey: String
    /// The secret key, which is not sent.
    package var secretKey: String
    /// The token of temporary credentials, which is sent and signed.
    package var sessionToken: String?

    /// A signer; see the properties.
    package init(region: String, service: String, accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.region = region
        self.service = service
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    /// The parts of a request that are signed.
    package struct Message: Sendable, Hashable {
        /// The method.
        package var method: String
        /// The absolute URL, as it is sent.
        package var url: String
        /// The header fields, as they are sent. `Host` is derived from the URL if it is missing.
        package var fields: [Field]
        /// The SHA-256 digest of the body, in hexadecimal; or a placeholder, such as `UNSIGNED-PAYLOAD`.
        package var payloadDigest: String

        /// A message; see the properties.
        package init(method: String, url: String, fields: [Field], payloadDigest: String) {
            self.method = method
            self.url = url
            self.fields = fields
            self.payloadDigest = payloadDigest
        }
    }

    /// A header field.
    package struct Field: Sendable, Hashable {
        /// The name, as it is sent.
        package var name: String
        /// The value.
        package var value: String

        /// A name and a value.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The field that holds the digest of the body, in lower case.
    package static let digestField = "x-amz-content-sha256"

    /// Returns the fields of the message with those of the signature: `Host`, `X-Amz-Date`, `X-Amz-Security-Token` if
    /// there is a token, `X-Amz-Content-Sha256` for S3, and `Authorization`. Existing fields with these names, except
    /// `Host`, are replaced.
    package func sign(_ message: Message, at moment: Timestamp) -> [Field] {
        let signed = fieldsBeforeSigning(message, at: moment)
        let signature = signature(of: CanonicalRequest(message, signed, isForS3: isForS3), at: moment)
        return signed + [Field("Authorization", signature)]
    }

    private var isForS3: Bool { ["s3", "s3-outposts", "s3express"].contains(service) }

    private func fieldsBeforeSigning(_ message: Message, at moment: Timestamp) -> [Field] {
        var replaced: Set = ["authorization", "x-amz-date"]
        var added = [Field("X-Amz-Date", Self.basicFormat(moment))]
        if let sessionToken {
            replaced.insert("x-amz-security-token")
            added.append(Field("X-Amz-Security-Token", sessionToken))
        }
        if isForS3 {
            replaced.insert(Self.digestField)
            added.append(Field("X-Amz-Content-Sha256", message.payloadDigest))
        }
        var fields = message.fields.filter { !replaced.contains($0.name.lowercased()) }
        if !fields.contains(where: { $0.name.lowercased() == "host" }) {
            fields.insert(Field("Host", CanonicalRequest.host(of: message.url)), at: 0)
        }
        return fields + added
    }

    /// The value of `Authorization`.
    private func signature(of request: CanonicalRequest, at moment: Timestamp) -> String {
        let time = Self.basicFormat(moment)
        let day = String(time.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let digest = Digest.sha256(of: Array(request.text.utf8))
        let toSign = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(digest)"
        var key = Array("AWS4\(secretKey)".utf8)
        for part in [day, region, service, "aws4_request"] {
            key = Digest.hmacSHA256(of: Array(part.utf8), key: key)
        }
        let signature = Hexadecimal.encode(Digest.hmacSHA256(of: Array(toSign.utf8), key: key))
        return "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope), SignedHeaders=\(request.signedNames), "
            + "Signature=\(signature)"
    }

    /// A timestamp, to the second, in the basic format of ISO 8601: `20150830T123600Z`.
    private static func basicFormat(_ moment: Timestamp) -> String {
        CivilTime(moment).dateAndTime.filter { $0 != "-" && $0 != ":" } + "Z"
    }
}
