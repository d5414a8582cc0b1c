import WaybillPlatform

/// The result of a program: its output and its exit status.
package struct Command: Sendable {
    /// Standard output.
    package var output: [UInt8]
    /// Standard error.
    package var error: [UInt8]
    /// The exit status; 128 plus the signal's number if a signal ended it.
    package var status: Int32

    /// Standard output as a string.
    package var outputText: String { String(decoding: output, as: UTF8.self) }
    /// Standard error as a string.
    package var errorText: String { String(decoding: error, as: UTF8.self) }

    /// Why a program could not be started.
    package struct StartError: Error {
        /// The system's description.
        package let message: String
    }

    /// Runs a program to its end, on a separate thread. Its streams go to files, which cannot fill up and block it.
    ///
    /// - Parameters:
    ///   - program: the path of the program.
    ///   - arguments: its arguments, without its name.
    ///   - folder: the folder that it runs in.
    ///   - input: the file that is its standard input.
    ///   - variables: its environment variables in addition to PATH and HOME; no others are inherited.
    ///   - onStart: called with the process ID once it runs, for sending it signals.
    package static func run(
        _ program: String,
        _ arguments: [String],
        in folder: String = ".",
        input: String = "/dev/null",
        variables: [String: String] = [:],
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> Command {
        try await ThreadHandle.run { try runBlocking(program, arguments, folder, input, variables, onStart) }
    }

    /// Sends a signal to a process that `onStart` reported.
    package static func send(_ signal: Int32, to process: Int32) {
        kill(process, signal)
    }

    private static func runBlocking(
        _ program: String,
        _ arguments: [String],
        _ folder: String,
        _ input: String,
        _ variables: [String: String],
        _ onStart: (pid_t) -> Void
    ) throws -> Command {
        let (output, error) = (try temporaryFile(), try temporaryFile())
        defer {
            close(output)
            close(error)
        }
        var environment = variables
        for name in ["PATH", "HOME"] where environment[name] == nil {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        // The shell changes to the folder and becomes the program: posix_spawn itself cannot do that everywhere.
        let command = ["-c", "cd \"$0\" && exec \"$@\"", folder, program] + arguments
        let process = try SpawnedProgram.start(
            "/bin/sh",
            command,
            environment: environment,
            files: [
                .open(input, O_RDONLY, as: STDIN_FILENO), .duplicate(output, as: STDOUT_FILENO),
                .duplicate(error, as: STDERR_FILENO),
            ]
        )
        onStart(process)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        let exitStatus = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        return Command(output: contents(of: output), error: contents(of: error), status: exitStatus)
    }

    private static func temporaryFile() throws -> Int32 {
        var path = Array("/tmp/waybill-test-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else {
            throw StartError(message: "could not create a temporary file: \(String(cString: strerror(errno)))")
        }
        unlink(path)
        return descriptor
    }

    private static func contents(of descriptor: Int32) -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
