import Testing
import WaybillFormats
import WaybillJSON
import WaybillTransport

@testable import WaybillResults
@testable import WaybillTracing

/// A collector that repeats secrets in its messages.
@Suite struct TraceCollectorTests {
    private struct Reply: Transport {
        let result: Result<HTTPResponse, TransportFailure>

        func send(
            _ request: HTTPRequest,
            monitor: TransferMonitor?,
            receiver: (any BodyReceiver)?
        ) async -> Result<HTTPResponse, TransportFailure> {
            result
        }

        func shutDown() async {}
    }

    private func delivery(_ result: Result<HTTPResponse, TransportFailure>) async -> TraceDelivery {
        let url = "http://c/v1/traces"
        let headers = [HTTPField(name: "Authorization", value: "Bearer t0ken-of-collector")]
        let redactor = Redactor()
        redactor.register("s3cret-of-run")
        let settings = TraceSettings(destination: .collector(url: url), headers: headers)
        return await TraceCollector(at: url, settings, redactor, through: Reply(result: result)).send([])
    }

    private func delivery(message: String) async -> TraceDelivery {
        let text = JSONWriter().string(.string(message))
        let body = Array(#"{"partialSuccess":{"rejectedSpans":1,"errorMessage":\#(text)}}"#.utf8)
        return await delivery(.success(HTTPResponse(status: 200, body: body, url: "http://c/v1/traces")))
    }

    @Test func `messages of a collector are redacted before they are cut`() async throws {
        let message = "the token t0ken-of-collector or s3cret-of-run is wrong"
        #expect(await delivery(message: message) == .accepted(rejected: 1, message: "the token *** or *** is wrong"))
        let long = String(repeating: "x", count: 195)
        #expect(await delivery(message: long + "s3cret-of-run") == .accepted(rejected: 1, message: long + "***"))
    }

    @Test(arguments: [(TransportFailure.Kind.connect, true), (.transfer, false)])
    func `failures of the transfer are redacted`(kind: TransportFailure.Kind, isUnreachable: Bool) async {
        let message = "the line 's3cret-of-run t0ken-of-collector' is malformed"
        let failure = TransportFailure(kind, message, wasSent: true)
        let reason = "the line '*** ***' is malformed"
        let expected = isUnreachable ? TraceDelivery.unreachable(reason: reason) : .refused(reason: reason)
        #expect(await delivery(.failure(failure)) == expected)
    }
}
