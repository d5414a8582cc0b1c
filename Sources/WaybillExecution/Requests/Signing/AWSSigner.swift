package import WaybillFormats
package import WaybillTransport

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

    /// The field that holds the digest of the body, in lower case.
    package static let digestField = "x-amz-content-sha256"

    /// Returns the fields of a request with those of the signature: `Host`, `X-Amz-Date`, `X-Amz-Security-Token` if there
    /// is a token, `X-Amz-Content-Sha256` for S3, and `Authorization`. Existing fields with these names, except `Host`,
    /// are replaced.
    ///
    /// - Parameter payloadDigest: The SHA-256 digest of the body, in hexadecimal; or a placeholder, such as
    ///   `UNSIGNED-PAYLOAD`.
    package func sign(_ request: HTTPRequest, payloadDigest: String, at moment: Timestamp) -> [HTTPField] {
        var signed = request
        signed.headers = fieldsBeforeSigning(request, payloadDigest, at: moment)
        let canonical = CanonicalRequest(signed, payloadDigest: payloadDigest, isForS3: isForS3)
        let signature = signature(of: canonical, at: moment)
        return signed.headers + [HTTPField(name: "Authorization", value: signature, isSensitive: true)]
    }

    private var isForS3: Bool { ["s3", "s3-outposts", "s3express"].contains(service) }

    private func fieldsBeforeSigning(_ request: HTTPRequest, _ digest: String, at moment: Timestamp) -> [HTTPField] {
        var replaced: Set = ["authorization", "x-amz-date"]
        var added = [HTTPField(name: "X-Amz-Date", value: Self.basicFormat(moment))]
        if let sessionToken {
            replaced.insert("x-amz-security-token")
            added.append(HTTPField(name: "X-Amz-Security-Token", value: sessionToken, isSensitive: true))
        }
        if isForS3 {
            replaced.insert(Self.digestField)
            added.append(HTTPField(name: "X-Amz-Content-Sha256", value: digest))
        }
        var fields = request.headers.filter { !replaced.contains($0.name.lowercased()) }
        if !fields.contains(where: { $0.isNamed("Host") }) {
            fields.insert(HTTPField(name: "Host", value: CanonicalRequest.host(of: request.url)), at: 0)
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
