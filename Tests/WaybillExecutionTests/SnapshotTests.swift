import Testing
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillExecution

/// Compares the data of a response with a file.
struct SnapshotTests {
    private let folder = TemporaryFolder()

    private func checker(_ data: JSON, ignoring paths: [String] = [], secret: String? = nil) throws -> SnapshotChecker {
        let source = SourceFile(name: "\(folder.path)/manifest.yaml", text: "x")
        let span = source.span(0..<1)
        let snapshot = ExpectedSnapshot(
            file: Spanned("snapshots/a.json", at: span),
            ignored: try paths.map { try JSONPath(parsing: $0) }
        )
        let redactor = Redactor()
        if let secret { redactor.register(secret) }
        return SnapshotChecker(
            Setting(snapshot, at: span, level: .service("s")),
            data: data,
            redactor: redactor,
            files: FolderBoundary(folder: folder.path, allowsOutside: false),
            audience: .commandLine
        )
    }

    private static let order: JSON = [
        "id": 7, "at": "noon", "lines": [["sku": "a", "key": 1], ["sku": "b", "key": 2]],
    ]

    @Test func `data matches the snapshot written from it, even with secrets`() throws {
        for data in [Self.order, "two\nlines", .bytes([0, 255]), .null, ["token": "a-secret-token"]] as [JSON] {
            let checker = try checker(data, secret: "a-secret-token")
            let update = try checker.update()
            #expect(!String(decoding: update.content, as: UTF8.self).contains("a-secret-token"))
            folder.write(update.content, to: "snapshots/a.json")
            #expect(update.path == "\(folder.path)/snapshots/a.json")
            #expect(checker.violations().isEmpty)
        }
    }

    @Test(arguments: [
        (
            #"{"id": 7, "at": "noon", "lines": [{"sku": "a", "key": 1}]}"#, [],
            [#"at .lines has 2 elements, not 1: element 1 is not expected: {"sku":"b","key":2}"#]
        ),
        (#"{"id": 7, "at": "dusk", "lines": [{"sku": "a", "key": 3}, {"sku": "b"}]}"#, ["$.at", "$..key"], []),
        (
            #"{"id": "7", "at": "noon", "lines": [{"sku": "a"}, {"sku": "b", "key": 2}], "new": true}"#, ["$.nothing"],
            [#"at .id is 7, not "7""#, "at .lines[0] has the additional member 'key', which is 1", "has no 'new'"]
        ),
        (
            #"{"id": 7, "at": "noon", "lines": []}"#, ["$.lines[0]", "$.lines[1]"],
            [#"at .lines has 1 element, not 0: element 0 is not expected: {"sku":"b","key":2}"#]
        ),
        (#"{"id": 7, "at": "noon", "lines": []}"#, ["$.lines[*]"], []),
    ])
    func `differences are described, and ignored paths are not compared`(
        snapshot: String,
        ignored: [String],
        differences: [String]
    ) throws {
        folder.write(snapshot, to: "snapshots/a.json")
        let violations = try checker(Self.order, ignoring: ignored).violations()
        #expect(
            Set(violations.map(\.message))
                == Set(differences.map { "the data \($0) (snapshot snapshots/a.json)" })
        )
    }

    @Test(arguments: ["$.*", "$..*", "$[*]"])
    func `a snapshot of which nothing is compared fails`(path: String) throws {
        folder.write(#"{"other": 1}"#, to: "snapshots/a.json")
        let violations = try checker(Self.order, ignoring: [path]).violations()
        #expect(violations.map(\.message) == ["the paths of 'ignore' select all of the data, so nothing is compared"])
    }

    @Test func `strings are compared line by line`() throws {
        folder.write("one\ntwo\nthree\n", to: "snapshots/a.json")
        #expect(
            try checker("one\nfour\nthree\n").violations().map(\.message)
                == ["the data has 'four' in line 2, not 'two' (snapshot snapshots/a.json)"]
        )
        #expect(
            try checker("one\ntwo\nthree").violations().map(\.message)
                == ["the data has 3 lines, not 4 (snapshot snapshots/a.json)"]
        )
    }

    @Test func `a snapshot that cannot be read is a violation`() throws {
        let missing = try checker(Self.order).violations()
        #expect(missing.count == 1 && missing[0].message.contains("'waybill run --update-snapshots' creates it"))
        folder.write("[1", to: "snapshots/a.json")
        let broken = try checker(Self.order).violations()
        #expect(broken.count == 1 && broken[0].message.hasSuffix("is not JSON, but the data is an object"))
    }
}
