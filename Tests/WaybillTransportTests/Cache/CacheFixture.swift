import WaybillFormats
import WaybillRuntime

@testable import WaybillTransport

/// Requests, responses and times for tests of the cache. Time 0 is Sun, 06 Nov 1994 08:49:37 GMT.
enum CacheFixture {
    static let url = "http://api.example/items"
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    /// The time this many seconds after time 0.
    static func time(_ seconds: Int) -> Timestamp {
        Timestamp(nanoseconds: Int64(784_111_777 + seconds) * 1_000_000_000)
    }

    /// The fields in lines such as `Age: 1`.
    static func fields(_ lines: String) -> [HTTPField] {
        lines.split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return HTTPField(name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
        }
    }

    static func request(
        _ mode: CacheMode = .default,
        _ lines: String = "",
        method: String = "GET",
        url: String = url
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, url: url, headers: fields(lines))
        request.options.cache = mode
        return request
    }

    static func response(_ status: Int = 200, _ lines: String = "", body: String = "stored") -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPFields(fields(lines)), body: Array(body.utf8), url: url)
    }

    /// The entry stored for a response that was sent and received at time 0, or nil if it is not stored.
    static func stored(_ response: HTTPResponse, to request: HTTPRequest = request()) -> CacheEntry? {
        var exchange = CacheExchange(request)
        guard case .send = exchange.start(with: nil, now: time(0)),
            case .finish(_, .store(let entry)) = exchange.next(after: .success(response), now: time(0))
        else { return nil }
        return entry
    }
}
