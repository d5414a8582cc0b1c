import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads a body piece by piece, with at most one file open. Lives on the engine's thread: its reads are small, and the
/// system is told to read ahead.
final class BodyReader {
    /// Why reading cannot go on: a sentence without full stop.
    private(set) var failure: String?
    /// Whether all has been read.
    var isAtEnd: Bool { segment == plan.segments.count }

    private let plan: BodyPlan
    // Where reading goes on.
    private var segment = 0
    private var offset = 0
    private var descriptor: Int32 = -1

    /// A reader at the start of a body.
    init(_ plan: BodyPlan) {
        self.plan = plan
    }

    deinit {
        closeFile()
    }

    /// Reads the next bytes, as many as there is room for; 0 at the end, nil with a `failure`.
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

    /// Goes to a place of the whole body, to send it again. False when there is no such place.
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

    /// Whether more was added to the file while it was sent: what was sent is then not the file.
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
        #if canImport(Glibc)
            posix_fadvise(descriptor, 0, 0, Int32(POSIX_FADV_SEQUENTIAL))
        #endif
        return true
    }
}
