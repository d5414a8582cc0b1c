import Testing
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct CommandCaseTests {
    @Test(arguments: CommandCase.all)
    func `a command has the expected output and exit status`(_ testCase: CommandCase) async throws {
        let folder = TemporaryFolder()
        let copy = try await Command.run("/bin/cp", ["-R", testCase.path + "/.", folder.path])
        #expect(copy.status == 0, "\(copy.errorText)")
        if testCase.file("prepare.sh") != nil {
            let prepared = try await Command.run(
                "/bin/sh",
                ["prepare.sh"],
                in: folder.path,
                variables: ["PROJECT": CommandCase.projectRoot]
            )
            #expect(prepared.status == 0, "\(prepared.errorText)")
        }
        let server = try testCase.lines("server").first.map { try CaseServer.start($0) }

        let arguments = testCase.lines("arguments").map {
            $0.replacing("{server}", with: "http://127.0.0.1:\(server?.port ?? 0)")
        }
        let result = try await Command.run(
            CommandCase.program,
            arguments,
            in: folder.path,
            input: testCase.file("stdin") == nil ? "/dev/null" : folder.path + "/stdin",
            variables: testCase.variables
        )
        server?.stop()

        #expect("\(result.status)" == testCase.lines("status").first, "\(result.errorText)")
        for (name, text) in [("stdout", result.outputText), ("stderr", result.errorText)] {
            let found = text.normalized(port: server?.port)
            guard let expected = testCase.file(name) else {
                testCase.record(found, as: name)
                Issue.record("\(testCase)/\(name) was missing; it has been written: read it, and run again")
                continue
            }
            #expect(found == expected, "\(testCase)/\(name)")
        }
        if let requests = testCase.lines("requests").first, let server {
            #expect("\(server.requestCount)" == requests, "requests sent")
        }
    }
}

extension CommandCase {
    /// The environment variables of the case.
    fileprivate var variables: [String: String] {
        var variables: [String: String] = [:]
        for line in lines("environment") {
            let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            variables[String(pair[0])] = String(pair[1])
        }
        return variables
    }
}
