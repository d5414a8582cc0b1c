import WaybillPlatform
import WaybillRuntime

/// Reads a body in pieces, with at most one file open. Used on the engine's thread: its reads are small, and the system
/// is advised to read ahead.
final class BodyReader {
    /// Why reading failed, without a full stop.
    private(set) var failure: String?
    /// Whether the whole body has been read.
    var isAtEnd: Bool { segment == plan.segments.count }

    private let plan: BodyPlan
    // The position of the next read.
    private var segment = 0
    private var offset = 0
    private var descriptor: Int32 = -1

    /// Creates a reader at the start of a body.
    init(_ plan: BodyPlan) {
        self.plan = plan
    }

    deinit {
        closeFile()
    }

    /// Reads as many of the next bytes as fit. Returns 0 at the end, and nil after setting `failure`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        var filled = 0
        while filled < buffer.count && !isAtEnd {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let current = plan.segments[segment]
            let wanted = min(room.count, current.count - offset)
            let count: Int?
            switch current.part {
            case .bytes(let bytes):
                bytes.withUnsafeBytes { room.copyMemory(from: .init(rebasing: $0[offset..<(offset + wanted)])) }
                count = wanted
            case .file(let file):
                count = read(file, size: current.count, into: .init(rebasing: room[..<wanted]))
            }
            guard let count else { return nil }
            filled += count
            offset += count
            if offset == current.count { advance() }
        }
        return filled
    }

    /// Moves to a position in the whole body, to send it again. Returns false if the position is out of range.
    func seek(to position: Int) -> Bool {
        closeFile()
        guard (0...plan.count).contains(position) else { return false }
        (segment, offset) = (0, position)
        while !isAtEnd && offset >= plan.segments[segment].count {
            offset -= plan.segments[segment].count
            segment += 1
        }
        return true
    }

    private func advance() {
        closeFile()
        segment += 1
        offset = 0
    }

    private func closeFile() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    private func read(_ file: LocalFile, size: Int, into room: UnsafeMutableRawBufferPointer) -> Int? {
        if descriptor < 0 && !open(file, size: size) { return nil }
        while true {
            let count = pread(descriptor, room.baseAddress, room.count, off_t(offset))
            if count > 0 { return offset + count == size && hasGrown(file, from: size) ? nil : count }
            if count == 0 {
                failure = "the file \(file) became shorter while it was sent"
                return nil
            }
            let error = SystemError.last
            guard error.errno == EINTR else {
                failure = "the file \(file) cannot be read: \(error)"
                return nil
            }
        }
    }

    /// Whether the file's size changed while it was sent, so that what was sent is not the file.
    private func hasGrown(_ file: LocalFile, from size: Int) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int(status.st_size) != size else { return false }
        failure = "the file \(file) changed its size while it was sent"
        return true
    }

    private func open(_ file: LocalFile, size: Int) -> Bool {
        do {
            let opened = try file.open()
            descriptor = opened.descriptor
            guard opened.size == size else {
                failure = "the file \(file) changed before it was sent"
                return false
            }
        } catch {
            failure = "the file \(file) cannot be read: \(error.message)"
            return false
        }
        waybill_expect_sequential_reads(descriptor)
        return true
    }
}
