import WaybillPlatform

/// Starts programs.
enum SpawnedProgram {
    /// An open file of a new program.
    enum File {
        /// A file that is opened for it, with a descriptor number.
        case open(String, Int32, as: Int32)
        /// An open file of this process, with a descriptor number.
        case duplicate(Int32, as: Int32)

        fileprivate var number: Int32 {
            switch self {
            case .open(_, _, let number), .duplicate(_, let number): number
            }
        }
    }

    /// Starts a program with these open files and no others. Sockets of tests that run at the same time must not be
    /// among them: a connection that the program also has open is not closed for the peer.
    static func start(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        files: [File]
    ) throws(LoopbackError) -> pid_t {
        var argv = ([program] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for string in argv + envp { free(string) } }
        var actions = initialized(by: posix_spawn_file_actions_init).value
        var attributes = initialized(by: posix_spawnattr_init).value
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for file in files {
            switch file {
            case .open(let path, let flags, let number):
                posix_spawn_file_actions_addopen(&actions, number, path, flags, 0)
            case .duplicate(let descriptor, let number):
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            }
        }
        waybill_close_from((files.map(\.number).max() ?? -1) + 1, &actions, &attributes)
        var process = pid_t()
        let code = posix_spawn(&process, program, &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw LoopbackError(call: "posix_spawn \(program)", errno: code) }
        return process
    }
}
