import WaybillFormats
import WaybillJSON

/// The format of an entry's file: a line with the format's name and the SHA-256 digest of the rest, a line of JSON with
/// everything but the body, and the body. A truncated or changed file fails the digest check and is treated as missing.
package enum CacheFile {
    private static let title = "waybill-cache "
    private static let format = title + "1"

    /// The number of bytes that `isOwn` needs.
    static let ownLength = title.utf8.count

    /// Whether a file that starts with these bytes belongs to the cache. Files of others may have any name. A process may
    /// have been killed before it had written them all.
    static func isOwn(_ start: [UInt8]) -> Bool { start.starts(with: title.utf8) || title.utf8.starts(with: start) }

    /// Encodes an entry.
    package static func bytes(of entry: CacheEntry) -> [UInt8] {
        var content: [UInt8] = []
        JSONWriter().write(head(of: entry), to: &content)
        content.append(UInt8(ascii: "\n"))
        content += entry.body
        return Array("\(format) \(Digest.sha256(of: content))\n".utf8) + content
    }

    /// Decodes an entry; nil unless the format and the digest match.
    package static func entry(_ bytes: [UInt8]) -> CacheEntry? {
        let newline = UInt8(ascii: "\n")
        guard let first = bytes.firstIndex(of: newline) else { return nil }
        let content = Array(bytes[(first + 1)...])
        guard String(decoding: bytes[..<first], as: UTF8.self) == "\(format) \(Digest.sha256(of: content))",
            let second = content.firstIndex(of: newline), let head = try? JSONParser().parse(content[..<second])
        else { return nil }
        return entry(head, body: Array(content[(second + 1)...]))
    }

    private static func head(of entry: CacheEntry) -> JSON {
        let fields = entry.headers.map { JSON.array([.string($0.name), .string($0.value)]) }
        let values = entry.selection.values.sorted { $0.key < $1.key }
            .map { (name: $0.key, value: $0.value.map { JSON.string($0) } ?? .null) }
        return [
            "url": .string(entry.key.url),
            "route": .string(entry.key.route),
            "status": .number(JSONNumber(entry.status)),
            "reason": .string(entry.reason),
            "version": .string(entry.httpVersion),
            "headers": .array(fields),
            "requestedAt": .number(JSONNumber(Int(entry.requestedAt.nanoseconds))),
            "receivedAt": .number(JSONNumber(Int(entry.receivedAt.nanoseconds))),
            "selection": .object(JSONObject(values)),
            "acceptsCompression": .bool(entry.selection.acceptsCompression),
        ]
    }

    private static func entry(_ head: JSON, body: [UInt8]) -> CacheEntry? {
        guard let url = head["url"]?.string, let route = head["route"]?.string,
            let status = head["status"]?.number?.int, let reason = head["reason"]?.string,
            let version = head["version"]?.string, let headers = head["headers"]?.array,
            let requestedAt = head["requestedAt"]?.number?.int, let receivedAt = head["receivedAt"]?.number?.int,
            let values = head["selection"]?.object, let acceptsCompression = head["acceptsCompression"]?.bool
        else { return nil }
        return CacheEntry(
            key: CacheKey(url: url, route: route),
            status: status,
            reason: reason,
            httpVersion: version,
            headers: HTTPFields(
                headers.compactMap { field in
                    guard let name = field[0]?.string, let value = field[1]?.string else { return nil }
                    return HTTPField(name: name, value: value)
                }
            ),
            body: body,
            requestedAt: Timestamp(nanoseconds: Int64(requestedAt)),
            receivedAt: Timestamp(nanoseconds: Int64(receivedAt)),
            selection: CacheSelection(
                values: Dictionary(values.map { ($0.name, $0.value.string) }, uniquingKeysWith: { $1 }),
                acceptsCompression: acceptsCompression
            )
        )
    }
}
