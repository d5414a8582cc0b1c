import Testing

@testable import WaybillTransport

/// The decisions of a download, without sockets and files.
struct DownloadStateTests {
    private static let url = "http://example.com/a.zip"
    private static let record = DownloadRecord(url: url, validator: .tag("\"v1\""), total: 100_000)

    private static func state(
        _ request: HTTPRequest = HTTPRequest(url: url),
        record: DownloadRecord? = record,
        size: Int = 40_000,
        resumes: Bool = true
    ) -> DownloadState {
        DownloadState(request, redact: { $0 }, part: record.map { ($0, size) }, resumes: resumes)
    }

    private static func response(_ status: Int, _ fields: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPFields(fields.map { HTTPField(name: $0, value: $1) }), url: url)
    }

    private static let identity = HTTPField(name: "Accept-Encoding", value: "identity")

    // MARK: Requests

    @Test func `the rest is requested on condition that the file has not changed`() {
        #expect(
            Self.state().fields == [
                Self.identity, HTTPField(name: "Range", value: "bytes=23616-"),
                HTTPField(name: "If-Range", value: "\"v1\""),
            ]
        )
    }

    static let wholeRequests: [(String, DownloadState)] = [
        ("nothing is there", state(record: nil)),
        ("the part is empty", state(size: 0)),
        ("the part has no more bytes than are compared", state(size: 16_384)),
        ("the part is longer than the file", state(size: 100_001)),
        ("the part is of another URL", state(record: DownloadRecord(url: "http://b/", validator: .tag("\"v1\"")))),
        ("it is not to be resumed", state(resumes: false)),
        ("ranges are not defined for POST", state(HTTPRequest(method: "POST", url: url))),
    ]

    @Test(arguments: wholeRequests) func `the whole file is requested if the part cannot be resumed`(
        name: String,
        state: DownloadState
    ) {
        #expect(state.fields == [Self.identity], "\(name)")
    }

    @Test func `fields of the request are not replaced`() {
        let range = HTTPField(name: "range", value: "bytes=0-9")
        #expect(Self.state(HTTPRequest(url: Self.url, headers: [range])).fields == [Self.identity])
        let coding = HTTPField(name: "accept-encoding", value: "gzip")
        #expect(Self.state(HTTPRequest(url: Self.url, headers: [coding]), record: nil).fields.isEmpty)
    }

    // MARK: Responses to a request for the rest

    private static let tag = ("ETag", "\"v1\"")
    private static let rest = DownloadState.Body(offset: 23_616, end: 100_000, total: 100_000, record: record)

    static let responses: [(String, HTTPResponse, DownloadState.Step)] = [
        ("206 as requested", response(206, [tag, ("Content-Range", "bytes 23616-99999/100000")]), .write(rest)),
        (
            "206 of a size that is not told again", response(206, [tag, ("Content-Range", "bytes 23616-99999/*")]),
            .write(rest)
        ),
        (
            "206 with the next part of the rest", response(206, [tag, ("Content-Range", "bytes 23616-49999/100000")]),
            .write(DownloadState.Body(offset: 23_616, end: 50_000, total: 100_000, record: record))
        ),
        ("206 with an earlier range", response(206, [tag, ("Content-Range", "bytes 0-99999/100000")]), .startOver),
        ("206 with a later range", response(206, [tag, ("Content-Range", "bytes 23617-99999/100000")]), .startOver),
        ("206 without a range", response(206, [tag]), .startOver),
        (
            "206 with two ranges", response(206, [tag, ("Content-Type", "multipart/byteranges; boundary=x")]),
            .startOver
        ),
        ("206 with a range that is none", response(206, [tag, ("Content-Range", "bytes 23616-/100000")]), .startOver),
        (
            "206 that ends after the file", response(206, [tag, ("Content-Range", "bytes 23616-100000/100000")]),
            .startOver
        ),
        ("206 of another size", response(206, [tag, ("Content-Range", "bytes 23616-100999/101000")]), .startOver),
        (
            "206 whose length is not that of its range",
            response(206, [tag, ("Content-Range", "bytes 23616-99999/100000"), ("Content-Length", "100000")]),
            .startOver
        ),
        (
            "206 with another tag", response(206, [("ETag", "\"v2\""), ("Content-Range", "bytes 23616-99999/100000")]),
            .startOver
        ),
        (
            "206 with a weak tag",
            response(206, [("ETag", "W/\"v1\""), ("Content-Range", "bytes 23616-99999/100000")]),
            .startOver
        ),
        ("206 without the tag", response(206, [("Content-Range", "bytes 23616-99999/100000")]), .startOver),
        (
            "206 that is compressed",
            response(206, [tag, ("Content-Range", "bytes 23616-99999/100000"), ("Content-Encoding", "gzip")]),
            .startOver
        ),
        (
            "200: the file has changed", response(200, [("ETag", "\"v2\""), ("Content-Length", "7")]),
            .write(
                DownloadState.Body(
                    end: 7,
                    total: 7,
                    record: DownloadRecord(url: url, validator: .tag("\"v2\""), total: 7)
                )
            )
        ),
        ("416 of another size", response(416, [("Content-Range", "bytes */100000")]), .startOver),
        ("416 without a size", response(416), .startOver),
        ("404", response(404, [("Content-Length", "5")]), .reject),
        ("503", response(503), .reject),
        ("204", response(204), .fail("the response has no content (status 204)")),
    ]

    @Test(arguments: responses)
    func `each response leads to the expected step`(name: String, response: HTTPResponse, step: DownloadState.Step) {
        var state = Self.state()
        #expect(state.next(after: response) == step, "\(name)")
        if step == .startOver { #expect(state.fields == [Self.identity], "\(name)") }
    }

    @Test func `a partial file with all its bytes is not requested beyond its end`() {
        var state = Self.state(size: 100_000)
        #expect(state.fields.contains(HTTPField(name: "Range", value: "bytes=83616-")))
        let range = ("Content-Range", "bytes 83616-99999/100000")
        let body = DownloadState.Body(offset: 83_616, end: 100_000, total: 100_000, record: Self.record)
        #expect(state.next(after: Self.response(206, [Self.tag, range])) == .write(body))
        state = Self.state(size: 100_000)
        #expect(state.next(after: Self.response(416, [("Content-Range", "bytes */100000")])) == .startOver)
    }

    @Test func `a part is accepted only from the URL that sent the others, with the same tag and date`() {
        let dates = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT"]
        let source = "http://cdn.example/1"
        func response(_ status: Int, url: String, date: String?) -> HTTPResponse {
            let fields = [
                Self.tag, ("Content-Length", "100000"), ("Content-Range", "bytes 0-99999/100000"),
                ("Last-Modified", date ?? ""),
            ]
            var response = HTTPResponse(status: status, url: url)
            response.headers = HTTPFields(fields.filter { !$1.isEmpty }.map { HTTPField(name: $0, value: $1) })
            return response
        }
        var whole = Self.state(record: nil)
        guard case .write(let body) = whole.next(after: response(200, url: source, date: dates[0])) else {
            return #expect(Bool(false))
        }
        #expect(body.record.flatMap { DownloadRecord($0.text) } == body.record)
        #expect(body.record.map { !String(decoding: $0.text, as: UTF8.self).contains("cdn") } == true)
        for (url, date, isAccepted) in [
            (source, dates[0], true), (source, nil, true), (source, dates[1], false),
            // The signature of a redirect's target differs each time.
            (source + "?AWSAccessKeyId=1&signature=2&Expires=3", dates[0], true),
            (source + "?X-Amz-Date=2&X-Amz-Signature=3", dates[0], true),
            (source + "?se=1&sp=r&sig=2&jwt=3", dates[0], true),
            // What may say which file is meant, and fields without their signature.
            (source + "?id=2&sig=2", dates[0], false), (source + "?token=2", dates[0], false),
            (source + "?x-oss-process=w_200&x-oss-signature=1", dates[0], false), (source + "?sp=2", dates[0], false),
            (source + "?X-Amz-Date=2&Expires=3", dates[0], false), (source + "2", dates[0], false),
            (Self.url, dates[0], false),
        ] {
            var state = Self.state(record: body.record)
            var response = response(206, url: url, date: date)
            response.headers = HTTPFields(
                response.headers.filter { $0.name.hasPrefix("E") || $0.name.hasPrefix("L") }
                    + [HTTPField(name: "Content-Range", value: "bytes 23616-99999/100000")]
            )
            #expect((state.next(after: response) != .startOver) == isAccepted, "\(url), \(date ?? "")")
        }
    }

    @Test func `the server may send the rest in parts`() {
        var state = Self.state()
        _ = state.next(after: Self.response(206, [Self.tag, ("Content-Range", "bytes 23616-49999/100000")]))
        state.advance(to: 50_000)
        #expect(state.fields.contains(HTTPField(name: "Range", value: "bytes=50000-")))
        let next = state.next(after: Self.response(206, [Self.tag, ("Content-Range", "bytes 50000-99999/100000")]))
        #expect(next == .write(DownloadState.Body(offset: 50_000, end: 100_000, total: 100_000, record: Self.record)))
    }

    @Test func `a server that sends parts of a few bytes receives a limited number of requests`() {
        var state = Self.state()
        _ = state.next(after: Self.response(206, [Self.tag, ("Content-Range", "bytes 23616-39999/100000")]))
        state.advance(to: 40_000)
        for size in stride(from: 40_000, to: 40_150, by: 10) {
            let range = ("Content-Range", "bytes \(size)-\(size + 9)/100000")
            let step = state.next(after: Self.response(206, [Self.tag, range]))
            #expect(
                step == .write(DownloadState.Body(offset: size, end: size + 10, total: 100_000, record: Self.record))
            )
            state.advance(to: size + 10)
        }
        let step = state.next(after: Self.response(206, [Self.tag, ("Content-Range", "bytes 40150-40159/100000")]))
        guard case .fail = step else { return #expect(Bool(false), "\(step)") }
    }

    // MARK: Responses to a request for the whole file

    @Test func `a part that was not requested is a failure, and 416 is an ordinary response`() {
        var state = Self.state(record: nil)
        let part = Self.response(206, [Self.tag, ("Content-Range", "bytes 0-9/1000")])
        #expect(state.next(after: part) == .fail("the server sent a part of the file that was not requested"))
        #expect(state.next(after: Self.response(416)) == .reject)
        let range = HTTPField(name: "Range", value: "bytes=0-9")
        state = Self.state(HTTPRequest(url: Self.url, headers: [range]), record: nil)
        #expect(state.next(after: part) == .write(DownloadState.Body()))
    }

    static let validators: [(String, [(String, String)], EntityValidator?)] = [
        ("a strong tag", [("ETag", "\"a\"")], .tag("\"a\"")),
        ("a weak tag", [("ETag", "W/\"a\"")], nil),
        ("a tag with bytes that are not UTF-8", [("ETag", "\"\u{FFFD}\"")], nil),
        ("a tag with a control character", [("ETag", "\"a\u{1}\"")], nil),
        ("a tag without quotes", [("ETag", "a")], nil),
        ("two tags", [("ETag", "\"a\""), ("ETag", "\"b\"")], nil),
        ("nothing", [], nil),
        (
            "an old date",
            [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:50:37 GMT")],
            .lastModified("Sun, 06 Nov 1994 08:49:37 GMT")
        ),
        (
            "a date that is too new",
            [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:50:36 GMT")], nil
        ),
        ("a date without the server's", [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")], nil),
        (
            "a date beside a weak tag",
            [
                ("ETag", "W/\"a\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
                ("Date", "Mon, 07 Nov 1994 08:50:37 GMT"),
            ], nil
        ),
    ]

    @Test(arguments: validators)
    func `a file can be resumed only with a strong validator`(
        name: String,
        fields: [(String, String)],
        validator: EntityValidator?
    ) {
        var state = Self.state(record: nil)
        let step = state.next(after: Self.response(200, fields + [("Content-Length", "1000")]))
        let record = validator.map { DownloadRecord(url: Self.url, validator: $0, total: 1000) }
        #expect(step == .write(DownloadState.Body(end: 1000, total: 1000, record: record)), "\(name)")
    }

    @Test func `a compressed response is decoded and not resumed, unless the file itself is compressed`() {
        let fields = [Self.tag, ("Content-Length", "10"), ("Content-Encoding", "gzip")]
        var state = Self.state(record: nil)
        #expect(state.next(after: Self.response(200, fields)) == .write(DownloadState.Body(codings: ["gzip"])))
        let url = "http://example.com/a.tar.gz?x=1"
        var response = HTTPResponse(status: 200, url: url)
        response.headers = Self.response(200, fields).headers
        state = DownloadState(HTTPRequest(url: url), redact: { $0 }, part: nil, resumes: true)
        let record = DownloadRecord(url: url, validator: .tag("\"v1\""), total: 10)
        #expect(
            state.next(after: response)
                == .write(DownloadState.Body(end: 10, total: 10, record: record))
        )
    }

    @Test func `a record is read back as it was written`() throws {
        for validator in [EntityValidator.tag("\"a\\\"b\""), .lastModified("Sun, 06 Nov 1994 08:49:37 GMT")] {
            for total in [nil, 5] {
                let record = DownloadRecord(
                    url: Self.url,
                    validator: validator,
                    total: total,
                    name: total.map { _ in "ä" }
                )
                #expect(DownloadRecord(record.text) == record)
            }
        }
        #expect(DownloadRecord(Array("{".utf8)) == nil)
        #expect(DownloadRecord(Array(#"{"url": "a"}"#.utf8)) == nil)
    }

    static let ranges: [(String, ClosedRange<Int>?, Int?, Bool)] = [
        ("bytes 0-499/1234", 0...499, 1234, true), ("bytes */1234", nil, 1234, true), ("Bytes 5-5/*", 5...5, nil, true),
        ("bytes */*", nil, nil, false), ("bytes 5-4/10", nil, nil, false), ("bytes 0-10/10", nil, nil, false),
        ("items 0-1/2", nil, nil, false), ("bytes 0-1", nil, nil, false), ("bytes -1-2/3", nil, nil, false),
        ("bytes 0-99999999999999999999/*", nil, nil, false), ("", nil, nil, false),
    ]

    @Test(arguments: ranges)
    func `content ranges are read strictly`(text: String, bytes: ClosedRange<Int>?, total: Int?, isValid: Bool) {
        let range = ContentRange(text)
        #expect((range != nil) == isValid)
        #expect(range?.bytes == bytes)
        #expect(range?.total == total)
    }
}
