import Testing
import WaybillTestSupport

@testable import WaybillResults

/// The file that stores the state between runs.
struct StateFileTests {
    private let folder = TemporaryFolder()

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
