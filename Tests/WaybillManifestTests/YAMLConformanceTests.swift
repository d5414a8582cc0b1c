import FoundationEssentials
import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillTestSupport

/// The yaml-test-suite: values under the core schema, and invalid files.
@Suite(
    .enabled(if: ConformanceSuite.folder("yaml") != nil, "the conformance suites are absent"),
    .timeLimit(.minutes(5))
)
struct ConformanceYAML {
    private static let suite = ConformanceSuite.folder("yaml")

    /// What libyaml 0.2.5 gets wrong according to the README of the suites; not fixed here.
    private static let expectedFailures: [(reason: String, ids: String)] = [
        (
            "libyaml refuses it though it is valid",
            """
            2JQS 2LFX 2SXE 4ABK 4MUZ/00 4MUZ/01 4MUZ/02 58MP 5MUD 5T43 6BCT 6CA3 6LVF 6M2F 7Z25 8XYN 96NN/00 96NN/01
            9SA2 A2M4 BEC7 CFD4 DBG4 DK3J DK95/00 DK95/03 DK95/04 FP8R FRK4 HM87/00 HWV9 K3WX M2N8/00 M7A3 MUS6/05
            MUS6/06 NHX8 NJ66 NKF9 Q5MG QT73 R4YG S3PD SM9W/01 UKK6/00 UT92 VJP3/01 W4TN W5VH Y79Y/001 Y79Y/010
            """
        ),
        (
            "libyaml accepts it though it is invalid",
            "9C9N 9HCY 9JBA CVW2 DK95/01 EB22 G5U8 MUS6/00 MUS6/01 QB6E RHX7 S98Z SU5Z X4QW Y79Y/003 YJV2"
        ),
        ("libyaml gives other events", "652Z HM87/01 JEF9/02 L24T/01 Y2GN"),
    ]

    /// Diagnostics about rules for manifests, not about YAML.
    private static let ownRules: Set<DiagnosticID> = ["unknown-tag", "complex-key"]

    @Test func `every case of the yaml-test-suite passes, except for the known bugs of libyaml`() throws {
        let cases = try Self.cases()
        var expected: [String: String] = [:]
        for (reason, ids) in Self.expectedFailures {
            for id in ids.split(whereSeparator: \.isWhitespace) { expected[String(id)] = reason }
        }
        var passed = 0
        var failedAsExpected = 0
        for (id, folder) in cases {
            switch (try Self.failure(in: folder), expected[id]) {
            case (nil, nil): passed += 1
            case (_?, _?): failedAsExpected += 1
            case (let failure?, nil): Issue.record("\(id): \(failure)")
            case (nil, let reason?): Issue.record("\(id) passes now; it was expected to fail: \(reason)")
            }
        }
        print("yaml-test-suite: \(passed) of \(cases.count) cases passed, \(failedAsExpected) failed as expected")
        #expect(!cases.isEmpty)
    }

    @Test func `every part of every scalar of the yaml-test-suite has the correct span`() throws {
        for (id, folder) in try Self.cases() {
            guard let bytes = Self.bytes(of: "\(folder)/in.yaml") else { continue }
            YAMLInvariants.check(SourceFile(name: id, bytes: bytes))
        }
    }

    /// The reason why a case fails; `nil` if it passes.
    private static func failure(in folder: String) throws -> String? {
        let file = SourceFile(name: "in.yaml", bytes: bytes(of: "\(folder)/in.yaml") ?? [])
        let (documents, allFindings) = YAMLReader().readStream(file)
        let diagnostics = allFindings.filter { !ownRules.contains($0.id) }
        if FileManager.default.fileExists(atPath: "\(folder)/error") {
            return diagnostics.hasErrors ? nil : "accepted, though it is invalid"
        }
        if let diagnostic = diagnostics.first { return "refused, though it is valid: \(diagnostic.headline)" }
        guard let json = bytes(of: "\(folder)/in.json") else { return nil }
        let values = try JSONStream.values(of: json)
        let found = documents.map(\.json)
        return values == found ? nil : "is \(found), not \(values)"
    }

    /// The cases with their ids.
    private static func cases() throws -> [(id: String, folder: String)] {
        let suite = try #require(suite)
        return ConformanceSuite.files(in: suite, ending: "/in.yaml")
            .map { String($0.dropLast("/in.yaml".count)) }
            .map { ($0, "\(suite)/\($0)") }
    }

    private static func bytes(of path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) }
    }
}

/// A sequence of JSON documents, as in the suite's `in.json`.
private enum JSONStream {
    static func values(of bytes: [UInt8]) throws -> [JSON] {
        var values: [JSON] = []
        var start = 0
        while let first = bytes[start...].firstIndex(where: { !isSpace($0) }) {
            let end = end(ofValueAt: first, in: bytes)
            values.append(try JSONParser().parse(bytes[first..<end]))
            start = end
        }
        return values
    }

    /// The end of the value that starts at an index: after its closing bracket or quote, or at the next white space.
    private static func end(ofValueAt start: Int, in bytes: [UInt8]) -> Int {
        var depth = 0
        var isInString = false
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
                depth -= 1
            } else if depth > 0 || !isSpace(byte) {
                continue
            }
            if depth == 0, !isInString { return index }
        }
        return bytes.count
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
