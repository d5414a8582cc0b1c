import Testing
import WaybillJSON
import WaybillTestSupport

@testable import WaybillResults

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file that stores the state between runs.
struct StateFileTests {
    private let folder = TemporaryFolder()

    @Test(arguments: ["real.json", "missing.json"])
    func `of a link, the file that it leads to is locked and replaced`(name: String) throws {
        folder.write("{\"format\": 1, \"graphs\": {}}", to: "data/real.json")
        #expect(symlink("data/second.json", "\(folder.path)/first.json") == 0)
        #expect(symlink(name, "\(folder.path)/data/second.json") == 0)
        let file = try StateFile("\(folder.path)/first.json")
        #expect(throws: ResultsError.self) { try StateFile("\(folder.path)/data/\(name)") }
        try file.store(StateFile.Content(graphs: ["main": JSONObject([("n", 1)])]))
        #expect(try StateFile.read("\(folder.path)/data/\(name)").graphs == ["main": JSONObject([("n", 1)])])
        #expect(folder.link(at: "first.json") == "data/second.json")
        #expect(folder.link(at: "data/second.json") == name)
        #expect(folder.names() == ["first.json", "data"])
    }

    @Test func `a state with a value that is nested as deeply as a response can be read`() throws {
        let value = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let state = ["main": JSONObject([("v", try JSONParser().parse(Array(value.utf8)))])]
        let file = try StateFile("\(folder.path)/s.json")
        try file.store(StateFile.Content(graphs: state))
        #expect(try StateFile.read("\(folder.path)/s.json").graphs == state)
    }

    @Test func `a state file removes only its own temporary files left by killed processes`() throws {
        let long = String(repeating: "n", count: 41)
        let names = [
            ".s.json.1a2b.tmp", ".s.json.5.json.1a2b.tmp", ".s.jsonx.1a2b.tmp", ".s.json..tmp", ".\(long).1a.tmp",
        ]
        for name in names { folder.write("x", to: name) }
        _ = try StateFile("\(folder.path)/s.json")
        _ = try StateFile("\(folder.path)/\(long)")
        #expect(folder.names().isSuperset(of: names.dropFirst()))
        #expect(!folder.names().contains(names[0]))
    }
}
