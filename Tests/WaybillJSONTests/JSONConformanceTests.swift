import Testing
import WaybillJSON
import WaybillTestSupport

/// JSONTestSuite: files that must be accepted, files that must be rejected, and files that must only not crash the
/// parser.
@Suite(.timeLimit(.minutes(5))) struct ConformanceJSONParsing {
    static let folder = ConformanceSuite.folder("json/test_parsing")

    @Test(.enabled(if: folder != nil, "the conformance suites are absent"))
    func `every file of JSONTestSuite has the result that its name requires`() throws {
        let folder = try #require(Self.folder)
        let names = ConformanceSuite.files(in: folder, ending: ".json")
        #expect(!names.isEmpty)
        var passed = 0
        for name in names {
            let isAccepted = (try? JSONParser().parse(ConformanceSuite.bytes(of: folder + "/" + name))) != nil
            let isRight =
                switch name.prefix(2) {
                case "y_": isAccepted
                case "n_": !isAccepted
                default: true
                }
            #expect(isRight, "\(name) was \(isAccepted ? "accepted" : "refused")")
            if isRight { passed += 1 }
        }
        print("JSONTestSuite: \(passed) of \(names.count) passed")
    }
}
