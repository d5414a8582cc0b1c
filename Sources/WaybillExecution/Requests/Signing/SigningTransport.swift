package import WaybillFormats
import WaybillJSON
package import WaybillTransport

/// Signs requests with AWS Signature Version 4, and sends them with another transport.
///
/// Requests to sign have the field `placeholder`, which the signature replaces. So each attempt and each request of a
/// redirect is signed with its own time and URL. Because the field is a credential, redirects to another origin do not
/// have it and are not signed.
///
/// The signature includes a digest of the body; a body from files is read twice for it. If the request has its own
/// `X-Amz-Content-Sha256`, such as `UNSIGNED-PAYLOAD`, that is signed instead and no file is read twice.
package struct SigningTransport: Transport {
    /// The field of requests to sign, which the signature replaces.
    package static let placeholder = HTTPField(name: "Authorization", value: "AWS4-HMAC-SHA256", isSensitive: true)

    private let transport: any Transport
    let signer: AWSSigner
    private let now: @Sendable () -> Timestamp

    /// A transport that signs.
    ///
    /// - Parameter now: The clock for the dates of signatures.
    package init(
        _ transport: any Transport,
        signer: AWSSigner,
        now: @escaping @Sendable () -> Timestamp = { Timestamp.now() }
    ) {
        self.transport = transport
        self.signer = signer
        self.now = now
    }

    package func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: (any BodyReceiver)?
    ) async -> Result<HTTPResponse, TransportFailure> {
        do {
            return await transport.send(try await signed(request), monitor: monitor, receiver: receiver)
        } catch {
            return .failure(error)
        }
    }

    package func shutDown() async {
        await transport.shutDown()
    }

    private func signed(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPRequest {
        guard request.headers.contains(Self.placeholder) else { return request }
        let given = request.headers.first { $0.isNamed(AWSSigner.digestField) }?.value
        let digest = if let given { given } else { try await request.body.digest() }
        var request = request
        request.headers = signer.sign(request, payloadDigest: digest, at: now())
        // The signature may not be that of the whole query.
        if WorkLimit.isReached { throw .cancelledBeforeSending }
        return request
    }
}
