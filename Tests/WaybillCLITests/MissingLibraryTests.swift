#if os(Linux)
    import Testing
    import WaybillTestSupport

    /// What the program does where libcurl, which it loads when it is needed, is not to be had. The system's loader looks
    /// through LD_LIBRARY_PATH first.
    @Suite struct MissingLibraryTests {
        private let folder = TemporaryFolder()

        init() throws {
            folder.write("waybill: 1\ngraphs: {main: {chain: [{get: \"http://127.0.0.1:1/\"}]}}\n", to: "waybill.yaml")
            folder.write("", to: "libcurl.so.4")
        }

        private func run(_ arguments: String...) async throws -> Command {
            let variables = ["LD_LIBRARY_PATH": folder.path]
            return try await Command.run(CommandCase.program, arguments, in: folder.path, variables: variables)
        }

        @Test func `without libcurl a run fails before anything is sent, and says what is missing`() async throws {
            let ran = try await run("run", "waybill.yaml", "--out", "results")
            #expect(ran.status == 3)
            #expect(ran.errorText.contains("cannot load \(folder.path)/libcurl.so.4: "), "\(ran.errorText)")
            #expect(ran.errorText.contains("please install libcurl 4 (on Debian: libcurl4)"), "\(ran.errorText)")
            #expect(folder.read("results/events.ndjson") == "")
        }

        @Test func `a library that is not libcurl is none`() async throws {
            let maps = String(decoding: TemporaryFolder.contents(of: "/proc/self/maps") ?? [], as: UTF8.self)
            let other = try #require(maps.split(whereSeparator: \.isWhitespace).first { $0.hasSuffix("/libc.so.6") })
            let linked = try await Command.run("/bin/ln", ["-sf", String(other), "libcurl.so.4"], in: folder.path)
            #expect(linked.status == 0)
            let ran = try await run("run", "waybill.yaml", "--out", "results")
            #expect(ran.status == 3)
            #expect(ran.errorText.contains("there is no curl_easy_init in libcurl.so.4"), "\(ran.errorText)")
        }

        @Test func `what sends nothing does without libcurl`() async throws {
            for command in ["validate", "plan"] {
                let done = try await run(command, "waybill.yaml")
                #expect(done.status == 0 && done.errorText.isEmpty, "\(done.errorText)")
            }
        }

        @Test func `what only looks at a URL says that libcurl is missing, too`() async throws {
            let made = try await run("init", "new.yaml", "--url", "http://127.0.0.1/")
            #expect(made.status == 127)
            #expect(made.errorText.hasPrefix("cannot load "), "\(made.errorText)")
            #expect(folder.read("new.yaml") == nil)
        }
    }
#endif
