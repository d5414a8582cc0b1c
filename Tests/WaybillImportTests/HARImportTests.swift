import Testing
import WaybillDiagnostics
import WaybillImport
import WaybillTestSupport

struct HARImportTests {
    /// A recording of requests, each with the members of its entry.
    private static func recording(_ entries: String...) -> String {
        #"{"log": {"entries": [\#(entries.joined(separator: ",\n"))]}}"#
    }

    private static func get(_ url: String, _ response: String = #"{"status": 200}"#) -> String {
        #"{"request": {"method": "GET", "url": "\#(url)"}, "response": \#(response)}"#
    }

    /// An entry, and the step of its request, without indentation.
    private static let steps: [(entry: String, step: String)] = [
        (
            #"{"request": {"method": "GET", "url": "https://a.example.com/x", "headers": [{"name": "Cookie", "value": "a=1; b; =c"}]}}"#,
            "id: x\nget: /x\nheaders: {Cookie: \"a=${secrets.a}; ${secrets.secret}; ${secrets.secret2}\"}"
        ),
        (get("https://a.example.com/x"), "id: x\nget: /x\nmock: {}"),
        (
            get("https://a.example.com/x", #"{"status": 404, "content": {"mimeType": "text/plain", "text": "none"}}"#),
            "id: x\nget: /x\nexpect: {status: 404}\nmock: {status: 404, headers: {Content-Type: text/plain}, body: none}"
        ),
        (
            get("https://a.example.com/x", #"{"status": 302, "redirectURL": "/elsewhere"}"#),
            "id: x\nget: /x\nredirects: false\nexpect: {status: 302}\nmock: {status: 302}"
        ),
        (
            get(
                "https://a.example.com/x.png",
                #"{"status": 200, "content": {"mimeType": "image/png", "size": 2, "text": "iVA=", "encoding": "base64"}}"#
            ),
            "# The body of the response is not text: 2 bytes of image/png.\nid: x\nget: /x.png\nmock: {headers: {Content-Type: image/png}}"
        ),
        (
            get("https://a.example.com/x", #"{"status": 304}"#),
            "# The browser had the response in its cache (304).\nid: x\nget: /x\nmock: {}"
        ),
        (
            #"{"request": {"method": "GET", "url": "https://a.example.com/x?a=1", "queryString": [{"name": "a", "value": "1"}, {"name": "b", "value": "ü"}]}}"#,
            "id: x\nget: /x\nquery: {a: 1, b: ü}"
        ),
        (
            #"{"request": {"method": "POST", "url": "https://a.example.com/x", "postData": {"mimeType": "multipart/form-data", "params": [{"name": "f", "fileName": "../a.txt"}]}}}"#,
            "# not imported: the folder of the file '../a.txt': copy the file next to the manifest, as a.txt\nid: postX\npost: /x\nbody: {multipart: [{name: f, file: a.txt}]}"
        ),
        (
            #"{"request": {"method": "POST", "url": "https://a.example.com/x", "postData": {"mimeType": "a/b", "text": "%", "encoding": "base64"}}}"#,
            "# not imported: the body: it is not valid Base64\nid: postX\npost: /x"
        ),
        (
            #"{"comment": "why", "checks": [1], "_own": 2, "request": {"method": "GET", "url": "https://a.example.com/x"}}"#,
            "# not imported: the member 'checks': HAR 1.2 does not define it\n# why\nid: x\nget: /x"
        ),
        (
            #"{"request": {"method": "POST", "url": "https://a.example.com/x", "bodySize": 38, "postData": {"mimeType": "application/json", "text": ""}}}"#,
            "# not imported: the body of 38 bytes: the recording does not have it\nid: postX\npost: /x"
        ),
        (
            #"{"request": {"method": "PUT", "url": "https://a.example.com/x", "bodySize": -1, "headers": [{"name": "Content-Length", "value": "7"}]}}"#,
            "# not imported: the body of 7 bytes: the recording does not have it\nid: putX\nput: /x"
        ),
        (
            #"{"request": {"method": "POST", "url": "https://a.example.com/x", "postData": {"mimeType": "multipart/form-data; boundary=B", "text": "--B\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n1\n2\r\n--B--\r\n"}}}"#,
            "id: postX\npost: /x\nbody:\nmultipart:\nname: f\nvalue: |-\n1\n2"
        ),
        (
            get("wss://a.example.com/x"),
            "# not imported: the request GET wss://a.example.com/x: only requests of http and https are imported"
        ),
        (
            get("https://a.example.com/x", #"{"status": 0}"#),
            "# not imported: the request GET https://a.example.com/x: it failed in the recording"
        ),
    ]

    @Test(arguments: steps)
    func `an entry becomes a step`(_ entry: String, _ step: String) throws {
        // A second request keeps the graph valid where the first is lost.
        let source = Self.recording(entry, Self.get("https://a.example.com/last"))
        let manifest = try ImportFixture.manifest(.har, [("a.har", source)])
        let chain = manifest.text.split(separator: "    chain:\n").last ?? ""
        let lines = chain.split(separator: "\n").map { $0.drop { $0 == " " } }.map {
            $0.hasPrefix("- ") ? $0.dropFirst(2) : $0
        }
        #expect(lines.joined(separator: "\n").replacing("\n#   ", with: " ").hasPrefix(step), "\(manifest.text)")
    }

    @Test func `secrets that an archive of Waybill does not have are a loss`() throws {
        let entry = #"""
            {"request": {"method": "POST", "url": "https://a.example.com/x?k=***&n=1", "bodySize": 9,
              "headers": [{"name": "Authorization", "value": "Bearer ***"}, {"name": "X-A", "value": "1"}],
              "postData": {"mimeType": "text/plain", "text": "abc"}}}
            """#
        let source = #"{"log": {"creator": {"name": "waybill"}, "entries": [\#(entry)]}}"#
        let manifest = try ImportFixture.manifest(.har, [("a.har", source)])
        for words in [
            "the secret values in Authorization, k: the archive has '***' instead of them",
            "the body of 9 bytes: the recording has only its start", "query: {n: 1}", "headers: {X-A: 1}",
        ] { #expect(manifest.text.contains(words), "\(manifest.text)") }
        #expect(!manifest.text.contains("Bearer") && !manifest.text.contains("secrets:"), "\(manifest.text)")
    }

    @Test(
        arguments: [
            (["b.example.com"], nil, [], ["/two"]), ([], "/o", [], ["/one"]), ([], nil, ["text/*"], ["/one", "/two"]),
            (["A.example.com"], nil, ["application/json"], ["/three"]),
        ] as [([String], String?, [String], [String])]
    )
    func `a filter keeps entries by host, path and type`(
        _ hosts: [String],
        _ path: String?,
        _ types: [String],
        _ kept: [String]
    ) {
        let source = Self.recording(
            Self.get(
                "https://a.example.com/one",
                #"{"status": 200, "content": {"mimeType": "text/html; charset=utf-8"}}"#
            ),
            Self.get("https://b.example.com/two", #"{"status": 200, "content": {"mimeType": "text/plain"}}"#),
            Self.get("https://a.example.com/three", #"{"status": 200, "content": {"mimeType": "application/json"}}"#)
        )
        let options = ImportOptions(hosts: hosts, pathPrefix: path, types: types)
        let (collection, diagnostics) = ImportKind.har.read([SourceFile(name: "a.har", text: source)], options)
        #expect(diagnostics.isEmpty)
        let text = ImportedManifest(collection).text
        for path in ["/one", "/two", "/three"] {
            #expect(text.contains("get: \(path)") == kept.contains(path), "\(text)")
        }
    }

    @Test(arguments: [
        (#"{"log": {}}"#, "a.har is not an HTTP Archive: the list 'log.entries' is missing", 9),
        (#"{"log": {"entries": ["#, "a.har is not JSON: expected a value", 22),
        (#"{"log": {"entries": [{"request": {}}]}}"#, "expected an entry with 'request.method' and 'request.url'", 22),
        (
            #"{"log": {"entries": [{"request": {"method": "A B", "url": "x"}}]}}"#,
            "HTTP does not allow the method 'A B'", 45
        ),
        (
            #"{"log": {"entries": [{"request": {"method": "GET", "url": "x", "postData": {"_truncated": true}}}]}}"#,
            "the recording is incomplete: '_truncated' marks a part that is missing", 76
        ),
        (#"{"log": {"entries": []}}"#, "nothing in a.har is imported: it has no entries", 21),
    ])
    func `a malformed recording is an error at its location`(_ text: String, _ headline: String, _ column: Int) {
        let (_, diagnostics) = ImportKind.har.read([SourceFile(name: "a.har", text: text)])
        #expect(diagnostics.map(\.headline) == [headline])
        #expect(diagnostics.first?.primary?.span.start.column == column)
    }

    @Test(.enabled(if: SampleFolder.named("har") != nil, "the samples of other tools are absent"))
    func `recordings that are JavaScript are refused at a location`() throws {
        let folder = try #require(SampleFolder.named("har"))
        let names = ConformanceSuite.files(in: folder, ending: ".js")
        #expect(names.count >= 10)
        for name in names {
            let source = SourceFile(name: name, bytes: try ConformanceSuite.bytes(of: "\(folder)/\(name)"))
            let (_, diagnostics) = ImportKind.har.read([source])
            #expect(diagnostics.map(\.id) == ["import-syntax"] && diagnostics.first?.primary?.span.start.line == 1)
        }
    }
}
