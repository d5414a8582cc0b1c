import Testing
import WaybillExecution
import WaybillFormats
import WaybillJSON
import WaybillRuntime

/// AWS's test suite; see Tests/Vectors/README.md.
@Suite(.timeLimit(.minutes(5))) struct AWSSignatureVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let message: AWSSigner.Message
        let sessionToken: String?
        let authorization: String

        var testDescription: String { name }

        init?(_ json: JSON) {
            guard let name = json["name"]?.string, let request = json["request"]?.string,
                let authorization = json["authorization"]?.string
            else { return nil }
            self.name = name
            self.authorization = authorization
            let halves = request.split(separator: "\n\n", maxSplits: 1)
            var lines = halves[0].split(separator: "\n").map(String.init)
            // `GET /a b HTTP/1.1`
            let words = lines.removeFirst().split(separator: " ")
            var fields: [AWSSigner.Field] = []
            for line in lines {
                if line.first == " ", var last = fields.popLast() {
                    last.value += "\n\(line)"
                    fields.append(last)
                } else if let colon = line.firstIndex(of: ":") {
                    fields.append(AWSSigner.Field(String(line[..<colon]), String(line[colon...].dropFirst())))
                }
            }
            let digest = Digest.sha256(of: Array((halves.count == 2 ? String(halves[1]) : "").utf8))
            // One request does not contain its token.
            let token = "x-amz-security-token:"
            sessionToken = json["canonicalRequest"]?.string?.split(separator: "\n").first { $0.hasPrefix(token) }
                .map { String($0.dropFirst(token.count)) }
            message = AWSSigner.Message(
                method: String(words[0]),
                url: "https://example.amazonaws.com" + words.dropFirst().dropLast().joined(separator: " "),
                fields: fields,
                payloadDigest: digest
            )
        }
    }

    private static let vectors: [Vector] = {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
        guard let bytes = try? FileContents.read("\(root)/Tests/Vectors/aws-signature-v4.json", limit: 1 << 20),
            case .array(let cases)? = try? JSONParser().parse(bytes)
        else { return [] }
        return cases.compactMap(Vector.init)
    }()

    @Test func `all test vectors are loaded`() {
        #expect(Self.vectors.count == 34)
    }

    @Test(arguments: vectors)
    func `a request has the signature of AWS's test suite`(_ vector: Vector) {
        let signer = AWSSigner(
            region: "us-east-1",
            service: "service",
            accessKey: "AKIDEXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            sessionToken: vector.sessionToken
        )
        let fields = signer.sign(vector.message, at: Timestamp(nanoseconds: 1_440_938_160_000_000_000))
        #expect(fields.last == AWSSigner.Field("Authorization", vector.authorization))
        #expect(fields.contains(AWSSigner.Field("X-Amz-Date", "20150830T123600Z")))
    }

    @Test(arguments: [
        ("s3", "/a//b/../c%20d/e=f@g", "/a//b/../c%20d/e%3Df%40g"),
        ("s3", "", "/"),
        ("es", "/a//b/../c%20d/e=f@g/", "/a/c%2520d/e%3Df%40g/"),
        ("es", "/..", "/"),
        ("es", "", "/"),
    ])
    func `a path is an object name for S3, and is normalized for other services`(
        service: String,
        path: String,
        canonical: String
    ) {
        // Equal signatures mean equal canonical paths. Services other than S3 encode the path once more.
        let signer = AWSSigner(region: "r", service: service, accessKey: "a", secretKey: "s")
        func signature(_ path: String) -> AWSSigner.Field? {
            let message = AWSSigner.Message(method: "GET", url: "http://h\(path)", fields: [], payloadDigest: "d")
            return signer.sign(message, at: Timestamp(nanoseconds: 0)).last
        }
        let same = service == "s3" ? canonical : canonical.replacing("%25", with: "%").replacing("%3D", with: "=")
        #expect(signature(path) == signature(same.replacing("%40", with: service == "s3" ? "%40" : "@")))
        #expect(signature(path) != signature("/other"))
    }

    @Test(arguments: [
        ("http://h:80/", "h"), ("http://h:443/", "h:443"), ("https://h:443", "h"), ("https://h:8443/", "h:8443"),
        ("http://[::1]:80/", "[::1]"), ("http://h:?x", "h"), ("HTTPS://H:443/", "H"),
    ])
    func `the signed Host is the one that is sent`(url: String, host: String) {
        let signer = AWSSigner(region: "r", service: "s3", accessKey: "a", secretKey: "s")
        let message = AWSSigner.Message(method: "GET", url: url, fields: [], payloadDigest: "d")
        let fields = signer.sign(message, at: Timestamp(nanoseconds: 0))
        #expect(fields.first == AWSSigner.Field("Host", host))
        #expect(fields.contains(AWSSigner.Field("X-Amz-Content-Sha256", "d")))
    }
}
