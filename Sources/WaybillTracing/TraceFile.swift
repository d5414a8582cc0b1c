import WaybillPlatform
import WaybillRuntime

/// A file to which export requests are appended as lines, as OpenTelemetry's file exporter does.
struct TraceFile: TraceDestination {
    let name: String
    private let thread: FileThread

    /// A file at a path, which is created with the first spans.
    init(_ path: String) throws(SystemError) {
        name = path
        thread = try FileThread()
    }

    func send(_ request: [UInt8]) async -> TraceDelivery {
        await thread.run { [name] in
            do throws(SystemError) {
                try append(request + [UInt8(ascii: "\n")], to: name)
                return .accepted(rejected: 0, message: nil)
            } catch {
                return .refused(reason: error.description)
            }
        }
    }

    func close() async {}
}

/// Appends a line to a file. A part of a line at its end, which a killed process has left, is ended first.
private func append(_ line: [UInt8], to path: String) throws(SystemError) {
    // Opening a pipe does not wait for a process that reads it.
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    let line = endsInsideLine(path) ? [UInt8(ascii: "\n")] + line : line
    var rest = line[...]
    do throws(SystemError) {
        // Usually in one piece, so that the lines of programs that share the file are not mixed.
        try OpenFile.write(&rest, to: descriptor)
    } catch {
        removeEnd(line.count - rest.count, of: descriptor)
        throw error
    }
}

/// Whether the last line of a file has no line break. Another program that is appending may have written a part of it.
private func endsInsideLine(_ path: String) -> Bool {
    guard let (descriptor, size) = try? LocalFile(path).open() else { return false }
    defer { close(descriptor) }
    let end = try? OpenFile.read(1, from: descriptor, at: max(0, size - 1))
    return end?.last.map { $0 != UInt8(ascii: "\n") } ?? false
}

/// Removes the bytes that were just appended to a file, which are a part of a line: readers expect complete lines. Does
/// nothing if another program has appended to the file in the meantime.
private func removeEnd(_ count: Int, of descriptor: Int32) {
    var status = stat()
    guard count > 0, fstat(descriptor, &status) == 0, lseek(descriptor, 0, SEEK_CUR) == status.st_size else { return }
    _ = ftruncate(descriptor, status.st_size - off_t(count))
}
