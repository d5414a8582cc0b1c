import Testing
import WaybillTestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs that compare responses with snapshots and write snapshots.
@Suite(.timeLimit(.minutes(5))) struct SnapshotRunTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    private func manifest(_ body: String, status: Int = 200) {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs:
              main:
                onFailure: collect
                chain:
                  - {id: user, get: /user, expect: {snapshot: {file: snapshots/user.json, ignore: [$.at]}}, mock: {status: \(status), body: \(body)}}
                  - id: wait
                    get: /job
                    until: {that: $.done, every: 10ms}
                    expect: {snapshot: snapshots/job.json}
                    mock: [{body: {done: false}}, {body: {done: true}}]
            """,
            to: "tests/manifest.yaml"
        )
    }

    @Test(arguments: [
        "intercept: {beforeSuccess: [{fail: no}]}", "intercept: {afterSuccess: [{log: \"${$.missing}\"}]}",
        "write: {to: a.ndjson, expect: [records == 2]}",
    ])
    func `no snapshot is written by a step that fails for another reason`(key: String) async throws {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs:
              main:
                chain:
                  - get: /user
                    expect: {snapshot: user.json}
                    \(key)
                    mock: {body: {id: 7}}
            """,
            to: "manifest.yaml"
        )
        let run = try await waybill("run", "manifest.yaml", "--mock", "--update-snapshots")
        #expect(run.status == 1)
        #expect(folder.read("user.json") == nil)
    }

    /// Two steps with one snapshot; the key `when` makes both conditional.
    private func shared(_ first: String, _ second: String, when: String = "") -> String {
        """
        waybill: 1
        services: {s: {baseURL: "http://127.0.0.1:9"}}
        graphs:
          main:
            chain:
              - {id: a, \(when)get: /a, expect: {snapshot: user.json}, mock: {body: \(first)}}
              - {id: b, \(when)get: /b, expect: {snapshot: ./user.json}, mock: {body: \(second)}}
        """
    }

    @Test func `two steps cannot share a snapshot`() async throws {
        folder.write(shared("1", "2"), to: "manifest.yaml")
        let checked = try await waybill("validate", "manifest.yaml")
        #expect(checked.status == 2)
        #expect(checked.errorText.contains("error[same-file]: two steps would be compared with the same snapshot"))
        // These may exclude each other.
        folder.write(shared("1", "2", when: "when: 1 == 1, "), to: "manifest.yaml")
        let run = try await waybill("run", "manifest.yaml", "--mock", "--update-snapshots")
        #expect(run.status == 1, "\(run.errorText)")
        #expect(run.outputText.contains("user.json was already written by step 'main.a', with other data"))
        #expect(folder.read("user.json") == "1\n")
        folder.write(shared("1", "1", when: "when: 1 == 1, "), to: "manifest.yaml")
        #expect(try await waybill("run", "manifest.yaml", "--mock", "--update-snapshots").status == 0)
    }

    @Test func `snapshots are created, compared and updated`() async throws {
        manifest("{name: demo, at: 1}")
        let missing = try await waybill("run", "tests/manifest.yaml", "--mock")
        #expect(missing.status == 1)
        #expect(
            missing.errorText.contains(
                "warning[missing-file]: the snapshot tests/snapshots/user.json does not exist yet"
            )
        )
        #expect(missing.outputText.contains("'waybill run --update-snapshots' creates it"))
        #expect(folder.names(in: "tests/snapshots").isEmpty)

        let created = try await waybill("run", "tests/manifest.yaml", "--mock", "--update-snapshots")
        #expect(created.status == 0, "\(created.outputText)")
        #expect(created.outputText.contains("main.user: snapshot tests/snapshots/user.json created\n"))
        #expect(folder.read("tests/snapshots/user.json") == "{\n  \"name\": \"demo\",\n  \"at\": 1\n}\n")
        #expect(folder.read("tests/snapshots/job.json") == "{\n  \"done\": true\n}\n")

        manifest("{name: demo, at: 2}")
        #expect(try await waybill("run", "tests/manifest.yaml", "--mock").status == 0)
        manifest("{name: other, at: 2}")
        let differs = try await waybill("run", "tests/manifest.yaml", "--mock")
        #expect(differs.status == 1)
        #expect(
            differs.outputText.contains(
                "the data at .name is \"other\", not \"demo\" (snapshot snapshots/user.json)"
            )
        )
        // A response that fails another expectation is not stored as a snapshot.
        manifest("{name: broken}", status: 500)
        let failed = try await waybill("run", "tests/manifest.yaml", "--mock", "--update-snapshots")
        #expect(failed.status == 1)
        #expect(folder.read("tests/snapshots/user.json")?.contains("demo") == true)
        manifest("{name: other, at: 2}")
        let updated = try await waybill("run", "tests/manifest.yaml", "--mock", "--update-snapshots")
        #expect(updated.outputText.contains("main.user: snapshot tests/snapshots/user.json updated\n"))
        #expect(!updated.outputText.contains("job.json"))
        #expect(try await waybill("run", "tests/manifest.yaml", "--mock").status == 0)
    }

    @Test func `of a link, the snapshot that it leads to is written, but not outside the folder`() async throws {
        manifest("{name: demo}")
        folder.write("{}", to: "tests/snapshots/real.json")
        #expect(symlink("real.json", "\(folder.path)/tests/snapshots/user.json") == 0)
        #expect(try await waybill("run", "tests/manifest.yaml", "--mock", "--update-snapshots").status == 0)
        #expect(folder.read("tests/snapshots/real.json")?.contains("demo") == true)
        #expect(folder.link(at: "tests/snapshots/user.json") == "real.json")
        folder.remove("tests/snapshots/user.json")
        #expect(symlink("../../new.json", "\(folder.path)/tests/snapshots/user.json") == 0)
        let outside = try await waybill("run", "tests/manifest.yaml", "--mock", "--update-snapshots")
        #expect(outside.errorText.contains("error[outside-folder]"), "\(outside.errorText)")
        #expect(!folder.names().contains("new.json"))
    }

    @Test func `a snapshot that cannot be written fails the step`() async throws {
        manifest("{name: demo}")
        folder.write("a file", to: "tests/snapshots")
        let run = try await waybill("run", "tests/manifest.yaml", "--mock", "--update-snapshots")
        #expect(run.status != 0)
        #expect((run.outputText + run.errorText).contains("snapshot"))
    }
}
