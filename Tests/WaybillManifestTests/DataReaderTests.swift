import OrderedCollections
import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillPlatform
import WaybillSchema
import WaybillTestSupport

@testable import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct DataReaderTests {
    private let folder = TemporaryFolder()

    private func read(
        _ path: String,
        _ format: (any ReadableRecordFormat.Type)? = nil,
        declaredIn manifest: String = "manifest.yaml",
        allowsOutside: Bool = false
    ) -> (value: JSON?, diagnostics: String) {
        let source = SourceFile(name: "\(folder.path)/\(manifest)", text: "data: {it: {file: \(path)}}\n")
        let span = source.span(18..<18 + path.utf8.count)
        let reader = DataReader(folder: folder.path, allowsOutside: allowsOutside)
        let (value, diagnostics) = reader.read(.file(path: Spanned(path, at: span), format: format))
        #expect((value == nil) == diagnostics.hasErrors)
        let text = HumanRenderer().render(diagnostics)
        return (value, text.replacing(folder.path, with: "FOLDER"))
    }

    @Test(
        arguments: [
            ("a.csv", "x,y\n1,2\n", [["x": "1", "y": "2"]]),
            ("a.CSV", "x\n", []),
            ("a.json", "{\"x\": 1}", ["x": 1]),
            ("a.ndjson", "1\n\n[2]\n", [1, [2]]),
            ("a.yaml", "x: [1, b]\n", ["x": [1, "b"]]),
            ("a.data", "{\"x\": 1}", ["x": 1]),
            ("a", "x: 1", ["x": 1]),
        ] as [(String, String, JSON)]
    )
    func `the format of a file depends on its extension`(_ name: String, _ text: String, _ value: JSON) {
        folder.write(text, to: name)
        let read = read(name)
        #expect(read.value == value)
        #expect(read.diagnostics == "")
    }

    @Test(arguments: ["a.csv", "a.ndjson", "a.json", "a.yaml"])
    func `the values of a file may take only so much memory`(_ name: String) throws {
        let lines = (1...20_000).map {
            name.hasSuffix("csv") ? ",," : name.hasSuffix("ml") ? "- \($0)" : "[\($0), \"a\"]"
        }
        let isArray = name == "a.json"
        folder.write(
            (name == "a.csv" ? "x,y,z\n" : isArray ? "[" : "") + lines.joined(separator: isArray ? ",\n" : "\n")
                + (isArray ? "]" : ""),
            to: name
        )
        let file = try DataFile.read("\(folder.path)/\(name)")
        #expect(file.value().diagnostics.isEmpty)
        let refused = file.value(mostMemory: 10_000)
        #expect(refused.value == nil && refused.diagnostics.map(\.id) == ["too-large"])
    }

    @Test func `data and schemas are read from the given file system`() throws {
        let files = RememberedFiles([
            "/nowhere/a.json": Array("[1]".utf8), "/nowhere/s.json": Array(#"{"type": "array"}"#.utf8),
        ])
        let text = "waybill: 1\ndata: {it: {file: a.json}}\ndefaults: {expect: {schema: s.json}}\n"
        var loader = ManifestLoader(files: files)
        loader.allowsOutside = true
        let loaded = loader.load(SourceFile(name: "/nowhere/m.yaml", text: text))
        #expect(HumanRenderer().render(loaded.diagnostics) == "")
        let manifest = try #require(loaded.manifest)
        let schemas = manifest.defaults.expectations.compactMap { entry in
            if case .schema(let schema) = entry.value { schema } else { nil }
        }
        #expect(schemas.map(\.schema.document) == [["type": "array"]])
        let reader = DataReader(folder: "/nowhere", allowsOutside: true, from: files)
        #expect(reader.read(try #require(manifest.data["it"]?.value)).value == [1])
    }

    @Test func `a declared format overrides the extension`() {
        folder.write("x\n1\n", to: "a.json")
        #expect(read("a.json", CSVFormat.self).value == [["x": "1"]])
        #expect(read("a.json", YAMLFormat.self).value == "x 1")
    }

    @Test func `a path is relative to the file that declares it`() {
        mkdir("\(folder.path)/common", 0o755)
        folder.write("1", to: "common/a.json")
        folder.write("2", to: "a.json")
        #expect(read("a.json", declaredIn: "common/data.yaml").value == 1)
        #expect(read("../a.json", declaredIn: "common/data.yaml").value == 2)
        #expect(read("\(folder.path)/a.json").value == 2)
    }

    @Test func `an error in a data file is reported there and where the file is declared`() {
        folder.write("x,y\n1,2\n3\n4,\"5\n", to: "a.csv")
        #expect(
            read("a.csv").diagnostics == """
                error[csv-syntax]: the row has 1 field, but the header has 2 names
                 --> FOLDER/a.csv:3:1
                  |
                3 | 3
                  | ^
                  |
                 ::: FOLDER/manifest.yaml:1:19
                  |
                1 | data: {it: {file: a.csv}}
                  |                   ----- named here

                error[csv-syntax]: the quote that starts this field is never closed
                 --> FOLDER/a.csv:4:3
                  |
                4 | 4,"5
                  |   ^
                  |
                 ::: FOLDER/manifest.yaml:1:19
                  |
                1 | data: {it: {file: a.csv}}
                  |                   ----- named here

                """
        )
    }

    @Test func `the diagnostic for a missing file suggests an existing name`() {
        folder.write("", to: "regions.csv")
        #expect(
            read("region.csv").diagnostics == """
                error[unreadable-file]: the data file FOLDER/region.csv cannot be read: there is no such file
                 --> FOLDER/manifest.yaml:1:19
                  |
                1 | data: {it: {file: region.csv}}
                  |                   ^^^^^^^^^^ did you mean 'regions.csv'?

                """
        )
    }

    @Test func `a folder, a pipe, an empty file and a file that is too large are rejected`() throws {
        mkdir("\(folder.path)/folder.json", 0o755)
        mkfifo("\(folder.path)/pipe.json", 0o644)
        folder.write("", to: "empty.csv")
        try #require(truncate(folder.write("", to: "large.csv"), 1 << 40) == 0)
        #expect(read("folder.json").diagnostics.contains("cannot be read: it is a folder\n"))
        #expect(read("pipe.json").diagnostics.contains("cannot be read: it is not a regular file\n"))
        #expect(read("empty.csv").diagnostics.contains("error[empty-file]: the file is empty\n"))
        #expect(read("large.csv").diagnostics.contains("cannot be read: it is larger than 268435456 bytes\n"))
    }

    @Test func `standard input is not accepted as a data file`() {
        #expect(read("-").diagnostics.contains("error[unreadable-file]: the data file FOLDER/- cannot be read"))
    }

    @Test func `files outside the manifest's folder are rejected, even through links`() throws {
        let outside = TemporaryFolder()
        outside.write("1", to: "a.json")
        try #require(symlink(outside.path, "\(folder.path)/link") == 0)
        try #require(symlink("../a.json", "\(folder.path)/gone.json") == 0)
        let name = outside.path.split(separator: "/").last ?? ""
        for path in ["../\(name)/a.json", "\(outside.path)/a.json", "link/a.json"] {
            #expect(read(path).diagnostics.hasPrefix("error[outside-folder]: "), "\(path)")
            #expect(read(path).value == nil)
            #expect(read(path, allowsOutside: true).value == 1)
        }
        #expect(read("gone.json").diagnostics.hasPrefix("error[unreadable-file]: "))
    }
}
