import CLibCurl
import WaybillRuntime

/// The parts of a body with their sizes, before any of it is read.
struct BodyPlan: Sendable {
    /// A part and its size in bytes.
    struct Segment: Sendable {
        let part: HTTPRequest.Part
        let count: Int
    }

    /// The parts that are not empty.
    let segments: [Segment]
    /// The size of the whole.
    let count: Int

    /// Measures the parts. Throws for a file that cannot be looked at, or that is no regular file.
    init(_ parts: [HTTPRequest.Part]) throws(TransportFailure) {
        var segments: [Segment] = []
        var count = 0
        for part in parts {
            let size: Int
            switch part {
            case .bytes(let bytes): size = bytes.count
            case .file(let file): size = try Self.size(of: file)
            }
            let (sum, isTooMuch) = count.addingReportingOverflow(size)
            guard !isTooMuch else { throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "the body is too large") }
            count = sum
            if size > 0 { segments.append(Segment(part: part, count: size)) }
        }
        self.segments = segments
        self.count = count
    }

    /// The bytes of the whole where it is one piece, small enough for libcurl to take it at once.
    var smallBytes: [UInt8]? {
        if segments.isEmpty { return [] }
        guard segments.count == 1, count <= 64 << 10, case .bytes(let bytes) = segments[0].part else { return nil }
        return bytes
    }

    private static func size(of file: LocalFile) throws(TransportFailure) -> Int {
        do {
            return try file.size()
        } catch {
            throw .refused(CURLE_READ_ERROR, "the file \(file) cannot be read: \(error.message)")
        }
    }
}
