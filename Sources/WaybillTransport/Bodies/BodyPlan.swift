import CLibCurl
import WaybillRuntime

/// The parts of a body with their sizes, measured before any of them is read.
struct BodyPlan: Sendable {
    /// A part and its size in bytes.
    struct Segment: Sendable {
        let part: BodyPart
        let count: Int
    }

    /// The parts that are not empty.
    let segments: [Segment]
    /// The size of the whole body in bytes.
    let count: Int

    /// Measures the parts. Throws if a file cannot be inspected or is not a regular file.
    init(_ parts: [BodyPart]) throws(TransportFailure) {
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

    /// The whole body, if it consists of at most one piece of bytes and is small enough to pass to libcurl at once.
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
