import WaybillTestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A command-line case: a folder with what the program is given and what it must print.
///
/// | file | what |
/// |---|---|
/// | `arguments` | one argument a line; `{server}` is the address of the case's server, `{port}` its port |
/// | `environment` | optional: `NAME=VALUE` lines |
/// | `prepare.sh` | optional: run in the folder first, for files that are better made than kept |
/// | `stdin` | optional: what the program reads from standard input |
/// | `server` | optional: the name of a `CaseServer` |
/// | `status`, `stdout`, `stderr` | what must come of it, volatile parts replaced (see `normalized`) |
///
/// Everything else, such as `manifest.yaml`, is there for the program. A missing `stdout` or `stderr` is written, and the
/// case fails, so that a person reads it.
struct CommandCase: Sendable, CustomStringConvertible {
    /// `ok/quickstart`
    let description: String
    /// The folder.
    let path: String

    /// Every case, in order.
    static let all: [CommandCase] = {
        let root = folder(of: #filePath) + "/Cases"
        return entries(root).flatMap { group in
            entries("\(root)/\(group)").map {
                CommandCase(description: "\(group)/\($0)", path: "\(root)/\(group)/\($0)")
            }
        }
    }()

    /// The root of the project.
    static let projectRoot = folder(of: folder(of: folder(of: #filePath)))

    /// The program, beside the test bundle.
    static let program = folder(of: CommandLine.arguments[0]) + "/waybill"

    /// The text of one of the case's files; `nil` when there is none.
    func file(_ name: String) -> String? {
        TemporaryFolder.contents(of: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    /// The lines of one of the case's files.
    func lines(_ name: String) -> [String] {
        (file(name) ?? "").split(separator: "\n").map(String.init)
    }

    /// Writes what the program printed, for a person to read.
    func record(_ text: String, as name: String) {
        guard let stream = fopen("\(path)/\(name)", "w") else { return }
        fputs(text, stream)
        fclose(stream)
    }

    private static func folder(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    private static func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}

extension String {
    /// The text with everything replaced that differs from run to run: times, run ids, ports.
    func normalized(port: Int?) -> String {
        var text = self
        if let port { text = text.replacing("127.0.0.1:\(port)", with: "127.0.0.1:PORT") }
        text.replace(#/[0-9]{8}-[0-9]{6}-[0-9a-z]+/#, with: "RUN")
        text.replace(#/\b[0-9]+(\.[0-9]+)? m?s\b/#, with: "N ms")
        return text
    }
}
