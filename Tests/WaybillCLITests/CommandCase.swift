import WaybillPlatform
import WaybillRuntime
import WaybillTestSupport

/// A command-line case: a folder with the input of the program and the expected output.
///
/// | file | content |
/// |---|---|
/// | `arguments` | one argument per line; `{server}` is the address of the case's server, `{port}` its port |
/// | `environment` | optional: `NAME=VALUE` lines |
/// | `prepare.sh` | optional: runs in the folder first, for files that are easier to generate than to store |
/// | `stdin` | optional: what the program reads from standard input |
/// | `server` | optional: the name of a `CaseServer` |
/// | `status`, `stdout`, `stderr` | the expected results, with volatile parts replaced (see `normalized`) |
///
/// All other files, such as `manifest.yaml`, are input for the program. If `stdout` or `stderr` is missing, it is
/// written and the case fails, so that a person reviews it.
struct CommandCase: Sendable, CustomStringConvertible {
    /// `ok/quickstart`
    let description: String
    /// The folder.
    let path: String

    /// All cases, sorted.
    static let all: [CommandCase] = {
        let root = folder(of: #filePath) + "/Cases"
        return entries(root).flatMap { group in
            entries("\(root)/\(group)").map {
                CommandCase(description: "\(group)/\($0)", path: "\(root)/\(group)/\($0)")
            }
        }
    }()

    /// The root folder of the project.
    static let projectRoot = folder(of: folder(of: folder(of: #filePath)))

    /// The program, which is next to the test bundle.
    static let program = folder(of: CommandLine.arguments[0]) + "/waybill"

    /// The content of one of the case's files; `nil` if the file does not exist.
    func file(_ name: String) -> String? {
        TemporaryFolder.contents(of: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    /// The lines of one of the case's files.
    func lines(_ name: String) -> [String] {
        (file(name) ?? "").split(separator: "\n").map(String.init)
    }

    /// Writes what the program printed, for a person to review.
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
    /// The text with everything replaced that differs between runs and releases: times, run ids, ports, the version.
    func normalized(port: Int?) -> String {
        var text = replacing(WaybillVersion.current, with: "VERSION")
        if let port { text = text.replacing("127.0.0.1:\(port)", with: "127.0.0.1:PORT") }
        // A slow machine prints a line of progress every five seconds.
        text.replace(#/ {4}[^\n]+  [0-9]+ of [0-9]+, [^\n]* left\n/#, with: "")
        text.replace(#/[0-9]{8}-[0-9]{6}-[0-9a-z]+/#, with: "RUN")
        text.replace(#/\b[0-9]+(\.[0-9]+)? m?s\b/#, with: "N ms")
        return text
    }
}
