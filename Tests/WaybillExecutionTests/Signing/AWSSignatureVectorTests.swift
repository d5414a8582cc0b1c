import Testing
import WaybillFormats
import WaybillJSON
import WaybillRuntime
import WaybillTransport

@testable import WaybillExecution

/// AWS's test suite; see Tests/Vectors/README.md.
@Suite(.timeLimit(.minutes(5))) struct AWSSignatureVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let request: HTTPRequest
        let digest: String
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
            var fields: [HTTPField] = []
            for line in lines {
                if line.first == " ", let last = fields.popLast() {
                    fields.append(HTTPField(name: last.name, value: "\(last.value)\n\(line)"))
                } else if let colon = line.firstIndex(of: ":") {
                    let value = String(line[colon...].dropFirst())
                    fields.append(HTTPField(name: String(line[..<colon]), value: value))
                }
            }
            digest = Digest.sha256(of: Array((halves.count == 2 ? String(halves[1]) : "").utf8))
            // One request does not contain its token.
            let token = "x-amz-security-token:"
            sessionToken = json["canonicalRequest"]?.string?.split(separator: "\n").first { $0.hasPrefix(token) }
                .map { String($0.dropFirst(token.count)) }
            self.request = HTTPRequest(
                method: String(words[0]),
                url: "https://example.amazonaws.com" + words.dropFirst().dropLast().joined(separator: " "),
                headers: fields
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
        let moment = Timestamp(nanoseconds: 1_440_938_160_000_000_000)
        let fields = signer.sign(vector.request, payloadDigest: vector.digest, at: moment)
        #expect(fields.last == HTTPField(name: "Authorization", value: vector.authorization, isSensitive: true))
        #expect(fields.contains(HTTPField(name: "X-Amz-Date", value: "20150830T123600Z")))
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
        func signature(_ path: String) -> HTTPField? {
            let request = HTTPRequest(url: "http://h\(path)")
            return signer.sign(request, payloadDigest: "d", at: Timestamp(nanoseconds: 0)).last
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
        let fields = signer.sign(HTTPRequest(url: url), payloadDigest: "d", at: Timestamp(nanoseconds: 0))
        #expect(fields.first == HTTPField(name: "Host", value: host))
        #expect(fields.contains(HTTPField(name: "X-Amz-Content-Sha256", value: "d")))
    }
}
