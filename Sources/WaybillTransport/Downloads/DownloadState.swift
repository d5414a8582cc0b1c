import WaybillFormats

/// Decides which request a download sends, given an existing partial file, and what happens to each response.
///
/// It is a value: it opens no file and sends nothing. The rules are those of RFC 9110, sections 13.1.5, 14 and 15.5.17.
/// A partial file is resumed only with a strong validator. Its last bytes are requested again and compared, because
/// after a crash of the system a file may have its size, but not its bytes. If the server sends anything but exactly the
/// rest of that file, the download starts over, once.
package struct DownloadState: Sendable {
    /// What happens after a response.
    package enum Step: Sendable, Equatable {
        /// Its body is written to the file.
        case write(Body)
        /// Its body is discarded, and the file is requested again from the start.
        case startOver
        /// It has no part of the file, such as an error message, and is treated as an ordinary response.
        case reject
        /// The download cannot continue, for this reason.
        case fail(String)
    }

    /// A body and its position in the file.
    package struct Body: Sendable, Equatable {
        /// The position of its first byte. Bytes that the file already has from there on are compared; for 0, the file
        /// is truncated.
        package var offset = 0
        /// The size of the file after it, if that is known.
        package var end: Int?
        /// The size of the whole file, if that is known.
        package var total: Int?
        /// The record to store before the first byte, so that the file can be resumed; nil if it cannot be.
        package var record: DownloadRecord?
        /// Its content codings, if it has to be decoded before it is written.
        package var codings: [String] = []
    }

    /// Which range is requested.
    private enum Range {
        /// None: the whole file.
        case whole
        /// The one in the user's own `Range` field. The response is what the user wants in the file.
        case given
        /// The rest of a file that has this many bytes, from a position in it or at its end.
        case rest(of: DownloadRecord, from: Int, size: Int)
    }

    private let redact: @Sendable (String) -> String
    private let url: String
    private let isResumable: Bool
    private let keepsCodings: Bool
    private let asksForIdentity: Bool
    private var range: Range
    /// How many responses had only a small part of the rest.
    private var smallParts = 0

    /// A part below this size in bytes is small. Only a few parts may be small.
    private static let smallPart = 64 * 1024
    private static let maximumSmallParts = 16

    /// How many of the last bytes of a partial file are compared. A shorter file is not resumed.
    package static let comparedBytes = 16 * 1024

    /// Creates the state before the first request.
    ///
    /// - Parameters:
    ///   - request: The request without what the download adds to it.
    ///   - redact: Removes the secrets from a URL, for the record.
    ///   - part: The record and the size of an existing partial file.
    ///   - resumes: Whether a partial file is resumed at all. Only those of GET are (RFC 9110, section 14.2).
    package init(
        _ request: HTTPRequest,
        redact: @escaping @Sendable (String) -> String,
        part: (record: DownloadRecord, size: Int)?,
        resumes: Bool
    ) {
        self.redact = redact
        url = redact(request.url)
        let isGiven = request.headers.contains { $0.isNamed("Range") }
        isResumable = resumes && request.method == "GET" && !isGiven
        asksForIdentity = !request.headers.contains { $0.isNamed("Accept-Encoding") }
        keepsCodings = Self.hasCodedName(request.url)
        if isGiven {
            range = .given
        } else if isResumable, let part, part.record.url == url, part.size > Self.comparedBytes,
            part.size <= part.record.total ?? .max
        {
            range = .rest(of: part.record, from: part.size - Self.comparedBytes, size: part.size)
        } else {
            range = .whole
        }
    }

    /// The fields to add to the next request. It does not accept compression, because a compressed response could not
    /// be resumed.
    package var fields: [HTTPField] {
        var fields: [HTTPField] = []
        if asksForIdentity { fields.append(HTTPField(name: "Accept-Encoding", value: "identity")) }
        if case .rest(let record, let start, _) = range {
            fields.append(HTTPField(name: "Range", value: "bytes=\(start)-"))
            fields.append(HTTPField(name: "If-Range", value: record.validator.text))
        }
        return fields
    }

    /// The record of the file that is resumed.
    package var resumedRecord: DownloadRecord? {
        if case .rest(let record, _, _) = range { record } else { nil }
    }

    /// Decides what happens after a response that is not a redirect.
    package mutating func next(after response: HTTPResponse) -> Step {
        switch (response.status, range) {
        case (206, .whole):
            return .fail("the server sent a part of the file that was not requested")
        case (206, .rest) where smallParts >= Self.maximumSmallParts:
            return .fail("the server sends the file in parts of less than 64 KiB, which would take too many requests")
        case (206, .rest(let record, let start, let size)):
            if let body = rest(of: record, from: start, size: size, in: response) { return .write(body) }
            return startOver()
        case (416, .rest):
            return startOver()
        case (204, _), (205, _):
            return .fail("the response has no content (status \(response.status))")
        case (200...299, _):
            return .write(whole(response))
        default:
            return .reject
        }
    }

    /// Records the size of the file after a response with only the next part of the rest. Servers that limit the size
    /// of responses may send such parts (RFC 9110, section 15.3.7).
    package mutating func advance(to size: Int) {
        guard case .rest(let record, let start, _) = range else { return }
        if size - start < Self.smallPart { smallParts += 1 }
        range = .rest(of: record, from: size, size: size)
    }

    /// Returns what of a record is stored next to the partial file, when the secrets in the response are known.
    func withoutSecrets(_ record: DownloadRecord?) -> DownloadRecord? { record?.without { redact($0) != $0 } }

    /// Makes the next request one for the whole file.
    @discardableResult
    package mutating func startOver() -> Step {
        range = .whole
        return .startOver
    }

    /// The body of a 206 with the rest of the file, or with the next part of it; nil if it is anything else.
    private func rest(of record: DownloadRecord, from start: Int, size: Int, in response: HTTPResponse) -> Body? {
        let headers = response.headers
        guard let range = ContentRange(headers), let bytes = range.bytes, bytes.lowerBound == start,
            bytes.upperBound >= size - 1, record.matches(headers, from: redact(response.url)),
            codings(of: headers).isEmpty
        else { return nil }
        if let known = record.total, let total = range.total, known != total { return nil }
        if let length = Self.length(headers), length != bytes.count { return nil }
        guard let total = range.total ?? record.total, bytes.upperBound < total else { return nil }
        return Body(offset: start, end: bytes.upperBound + 1, total: total, record: record)
    }

    private func whole(_ response: HTTPResponse) -> Body {
        let codings = codings(of: response.headers)
        var body = Body(codings: codings)
        guard codings.isEmpty else { return body }
        body.total = Self.length(response.headers)
        body.end = body.total
        if isResumable, response.status == 200, let validator = EntityValidator(response.headers) {
            var lastModified: String?
            if case .tag = validator { lastModified = response.headers.first(named: "Last-Modified") }
            body.record = DownloadRecord(
                url: url,
                source: redact(response.url),
                validator: validator,
                lastModified: lastModified,
                total: body.total,
                name: SuggestedName.of(response.headers)
            )
        }
        return body
    }

    /// The codings to decode. A server that names one although none was accepted may mean the file itself: `a.tar.gz`
    /// is stored as it is.
    private func codings(of headers: HTTPFields) -> [String] {
        if keepsCodings { return [] }
        return headers.values(named: "Content-Encoding").flatMap { HTTPField.elements(of: $0).map(\.name) }
            .filter { !$0.isEmpty && $0.lowercased() != "identity" }
    }

    private static func hasCodedName(_ url: String) -> Bool {
        let path = URIReference(url).path.lowercased()
        return [".gz", ".tgz", ".svgz", ".br", ".zst", ".z"].contains { path.hasSuffix($0) }
    }

    private static func length(_ headers: HTTPFields) -> Int? {
        guard headers.first(named: "Transfer-Encoding") == nil else { return nil }
        return headers.first(named: "Content-Length").flatMap { Int($0) }
    }
}
