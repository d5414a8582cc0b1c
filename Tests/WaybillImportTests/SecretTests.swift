import Testing
import WaybillDiagnostics
import WaybillImport
import WaybillJSON

/// Secrets of a source are in nothing that is written.
struct SecretTests {
    /// A collection with one request, whose members follow those of `request`.
    private static func collection(_ request: String, item: String = "", outer: String = "") -> String {
        #"{"info": {"name": "a", "schema": "getpostman.com/v2.1.0"}\#(outer), "item": [{"name": "one", "request": {"url": "https://a.example.com/x", \#(request)}\#(item)}]}"#
    }

    /// All that an import shows.
    private static func written(_ text: String, environments: [String] = []) throws -> String {
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)], environments: environments)
        return manifest.text + manifest.losses.map { "\($0.what): \($0.reason)\n" }.joined()
    }

    private static func hex(_ text: String) -> String {
        text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func base64(_ text: String) -> String { Base64.encode(Array(text.utf8)) }

    private static let basic =
        #""auth": {"type": "basic", "basic": {"username": "me", "password": "canary-17"}}"#

    @Test(arguments: [base64("canary-17"), base64("me:canary-17"), hex("canary-17")])
    func `an encoded secret is in no check, example, text, comment or report`(_ encoded: String) throws {
        let item = """
            , "event": [{"listen": "test", "script": {"exec": ["pm.expect(pm.response.json().a).to.eql('\(encoded)');",
             "unknown('\(encoded)');", "// see \(encoded)"]}}], "response": [{"code": 200, "body": "{\\"a\\": \\"\(encoded)\\"}"}]
            """
        let text = Self.collection(#"\#(Self.basic), "description": "It is \#(encoded)""#, item: item)
        let written = try Self.written(text)
        #expect(!written.contains(encoded) && !written.contains("canary"), "\(written)")
        #expect(written.contains("a secret in another form: it was replaced by '***'"))
    }

    /// Values that are secret whatever their names are.
    @Test(arguments: [
        #"curl -u "sk_live_17a17b17c17d17e17f:" https://a.example.com/x"#,
        #"curl -u "canary-17:" https://a.example.com/x"#,
        #"curl "https://a.example.com/x?key=AIzaSyCanary1234567890abcdef1234567890""#,
        #"curl https://a.example.com/x -d '{"id": "ghp_17a17b17c17d17e17f17a17b17c17d"}'"#,
        #"curl https://a.example.com/x --pass canary-17"#,
        #"curl https://a.example.com/x --tlsuser canary --tlspassword canary-17"#,
    ])
    func `tokens of known forms, user names without a password and passphrases are hidden`(_ command: String) throws {
        let manifest = try ImportFixture.manifest(.curl, [("a.sh", command)])
        let written = manifest.text + manifest.losses.map { "\($0.what): \($0.reason)\n" }.joined()
        #expect(!written.contains(#/canary-17|AIza|ghp_|sk_live/#), "\(written)")
    }

    /// Sources with secrets that no request sends, or that only a place shows.
    @Test(arguments: [
        (ImportKind.curl, "# curl -u me:canary-17 https://a.example.com\ncurl https://a.example.com/x"),
        (.curl, "# curl \"https://b/\" --proxy-user 'me:canary-17' -b 's=canary-17'\ncurl https://a.example.com/x"),
        (.curl, "# the password is canary-17, and pw=canary-18\n# token: canaryword\ncurl https://a.example.com/x"),
        (.curl, "curl https://a.example.com/x --proxy-header 'X-Any: canary'"),
        (.http, "@pw = canary\nPOST https://a.example.com/x\nContent-Type: text/plain\n\npw={{pw}}"),
        (.http, "@x = canary\nPOST https://a.example.com/x\nContent-Type: text/plain\n\na password={{x}}"),
        (.http, "GET https://a.example.com/x\n\n> {%\n// The secret is canary-17.\nf('token', 'canary');\n%}"),
        (
            .arazzo,
            """
            arazzo: 1.0.1
            info: {title: T, version: "1"}
            sourceDescriptions: []
            workflows:
              - workflowId: w
                steps:
                  - stepId: a
                    x-operation: {url: "https://me:canary@a.example.com/x?token=canarytoken", method: get}
            """
        ),
    ])
    func `a secret in a comment, an option, a text or a URL is in no manifest or report`(
        _ kind: ImportKind,
        _ source: String
    ) throws {
        let manifest = try ImportFixture.manifest(kind, [("a", source)])
        let written = manifest.text + manifest.losses.map { "\($0.what): \($0.reason)\n" }.joined()
        #expect(!written.contains("canary") && written.contains("/x"), "\(written)")
    }

    @Test(arguments: [
        "the token is required", "Password: optional", "const token = response.token;", "token: res.body.token.",
    ])
    func `a comment about secrets keeps its words`(_ comment: String) throws {
        let text = try ImportFixture.manifest(.curl, [("a", "# \(comment)\ncurl https://a.example.com/x")]).text
        #expect(text.contains("# \(comment)\n"), "\(text)")
    }

    @Test func `a masked value is quoted where YAML needs it`() throws {
        // The scalar would start with '***', which is an alias.
        let source = "curl https://a.example.com/x -u me:canary-1717\ncurl https://a.example.com/y -X canary-1717"
        let text = try ImportFixture.manifest(.curl, [("a", source)]).text
        #expect(text.contains("method: \"***\"") && !text.contains("canary"), "\(text)")
    }

    @Test func `a value that ends like the name of a secret is no name`() throws {
        let script = """
            curl http://h.example.com/a -d '{"note":"Api-Token","next":"hello-world"}'
            curl http://h.example.com/b -d '{"password":"inline-secret-1", "api_key":"k-99887766"}'
            curl http://h.example.com/w -H "X-Signature: sha256=${SIGNATURE}"
            curl http://h.example.com/v/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF0003/y
            """
        let manifest = try ImportFixture.manifest(.curl, [("a.sh", script)])
        let text = manifest.text
        #expect(text.contains(#"'{"note":"Api-Token","next":"hello-world"}'"#), "\(text)")
        #expect(text.contains(#"'{"password":"${secrets.password}", "api_key":"${secrets.apiKey}"}'"#))
        #expect(text.contains("get: /v/${secrets.token}/y"))
        #expect(text.contains("headers: {X-Signature: \"sha256=${secrets.SIGNATURE}\"}"))
        #expect(!text.contains(#/\*\*\*|inline/#))
        let cookies = "GET http://h.example.com/c\n[Cookies]\npath: 17-canary-17\nlang: 18-canary-18\n"
        let hurl = try ImportFixture.manifest(.hurl, [("a.hurl", cookies)]).text
        #expect(hurl.contains("{env: SECRET_PATH}") && hurl.contains("{env: SECRET_LANG}"), "\(hurl)")
    }

    @Test func `the encoded form of a short password is hidden, too`() throws {
        let request =
            #""auth": {"type": "basic", "basic": {"username": "abhijit", "password": "kane"}}, "description": "kane is YWJoaWppdDprYW5l""#
        let written = try Self.written(Self.collection(request))
        #expect(!written.contains("kane") && !written.contains("YWJo"), "\(written)")
    }

    @Test(arguments: [
        #"{"type": "oauth1", "oauth1": [{"key": "consumerSecret", "value": "canary-17"}]}"#,
        #"{"type": "oauth1", "oauth1": {"tokenSecret": "canary-17"}}"#,
        #"{"type": "oauth1", "oauth1": {"token": "canary-17"}}"#,
        #"{"type": "jwt", "jwt": [{"key": "secret", "value": "canary-17"}]}"#,
        #"{"type": "hawk", "hawk": [{"key": "authKey", "value": "canary-17"}]}"#,
        #"{"type": "ntlm", "ntlm": {"password": "canary-17"}}"#,
        #"{"type": "edgegrid", "edgegrid": [{"key": "clientSecret", "value": "canary-17"}]}"#,
    ])
    func `credentials of other methods are in no text`(_ auth: String) throws {
        let request =
            #""auth": \#(auth), "description": "Use canary-17.", "header": [{"key": "X", "value": "canary-17"}]"#
        let written = try Self.written(Self.collection(request))
        #expect(!written.contains("canary"), "\(written)")
    }

    @Test(arguments: [#""123456""#, #""changeme""#, #""abc""#, #""hunt""#, #""p\\q\"r""#, "1234"])
    func `the value of a member named like a secret is one, whatever it is`(_ value: String) throws {
        let command = "curl https://a.example.com/x --json '{\"user\": \"u\", \"in\": {\"pin\": \(value)}}'"
        let manifest = try ImportFixture.manifest(.curl, [("a.sh", command)])
        let reference = value == "1234" ? "${parse(secrets.pin)}" : "${secrets.pin}"
        #expect(manifest.text.contains("{json: {user: u, in: {pin: \"\(reference)\"}}}"), "\(manifest.text)")
        #expect(!manifest.text.contains("***") && !manifest.text.contains(value.dropFirst().dropLast()))
    }

    @Test(arguments: ["<string>", "YOUR_TOKEN", "test", "true", "1", "", "xxxxxxxx", "string", "open"])
    func `a placeholder in a field named token stays in other fields`(_ value: String) throws {
        let request =
            #""method": "POST", "body": {"mode": "raw", "raw": "{\"token\": \"\#(value)\", \"account\": \"\#(value)\"}", "options": {"raw": {"language": "json"}}}"#
        let manifest = try ImportFixture.manifest(.postman, [("a.json", Self.collection(request))])
        #expect(manifest.text.components(of: "${secrets.token}") == (value.isEmpty ? 0 : 1), "\(manifest.text)")
        #expect(manifest.text.contains("account: \"${") == false, "\(manifest.text)")
    }

    @Test(arguments: [
        "pm.environment.set('token', 'canary-x');", "pm.expect(json.token).to.eql('canary-x');",
        "const json = pm.response.json(); pm.expect(json.token).to.equal(\\\"canary-x\\\");",
        "pm.sendRequest({url: 'https://b.example.com/?token=canary-x', header: {Authorization: 'Bearer canary-x1'}}, f);",
        "pm.request.headers.add({key: 'Authorization', value: 'Bearer canary-x'});",
        "pm.request.headers.upsert({key: 'X-Api-Key', value: 'canary-x'});",
        "pm.sendRequest('https://me:canary-x@b.example.com/', f);",
        "if (json.password === 'canary-x') { g(); }",
    ])
    func `a secret of a script is in no manifest or report`(_ statement: String) throws {
        for listen in ["test", "prerequest"] {
            let item = #", "event": [{"listen": "\#(listen)", "script": {"exec": ["\#(statement)"]}}]"#
            let text = Self.collection(#""header": [{"key": "Y", "value": "{{token}}"}]"#, item: item)
            let written = try Self.written(text)
            #expect(!written.contains("canary"), "\(written)")
        }
    }

    @Test(arguments: [
        (#"{"password": "canary-x",}"#, "json"), (#"{"password": /* here */ 1, "token": "canary-x"} // "#, "json"),
        ("<a><password>canary-x</password></a>", "xml"), (#"{"note": "Bearer canary-x1"}"#, "json"),
        ("a=1&password=canary-x&b", "text"), (#"{"passwords": ["canary-x1"]}"#, "json"),
        (#"<wsse:Password Type="x">canary-x1</wsse:Password>"#, "xml"), (#"<a secret="canary-x"/>"#, "xml"),
    ])
    func `a secret of a body is lifted in any format`(_ body: String, _ language: String) throws {
        let raw = body.replacing("\"", with: "\\\"")
        for method in ["POST", "GET"] {
            let request =
                #""method": "\#(method)", "body": {"mode": "raw", "raw": "\#(raw)", "options": {"raw": {"language": "\#(language)"}}}"#
            let written = try Self.written(Self.collection(request))
            #expect(!written.contains("canary"), "\(written)")
            #expect(written.contains("${secrets.") == (method == "POST"), "\(written)")
        }
    }

    @Test(arguments: [
        "?key=canary-4711", "?next=https%3A%2F%2Fb%2F%3Ftoken%3Dcanary4711",
        "' -d '<a><password><![CDATA[canary]]></password></a>",
        "' -d '{\"credentials\": {\"value\": \"canary\"}}", "?token=canary%2fcdefgh", "?token=canary+cdefgh",
    ])
    func `a secret of a query or a body is one in each form`(_ rest: String) throws {
        let text = try ImportFixture.manifest(.curl, [("a", "curl 'https://a.example.com/x\(rest)'")]).text
        #expect(!text.contains("canary") && text.contains("secrets."), "\(text)")
        // Encoded values of a URL are sent as they are.
        #expect(text.contains("?token=${raw(secrets.token)}") == rest.hasPrefix("?token"), "\(text)")
    }

    @Test func `a parameter of a path ends with its segment`() throws {
        let collection = #"""
            {"info": {"name": "a"}, "item": [{"name": "a", "request": {"method": "GET",
             "url": "https://a.example.com/a;jsessionid=canary-x1/b?x=1"}}]}
            """#
        let written = try Self.written(collection)
        #expect(written.contains("/b") && !written.contains("canary"), "\(written)")
    }

    @Test func `secrets of GraphQL, paths, names, examples and signatures are lifted or masked`() throws {
        let text = #"""
            {"info": {"name": "a"}, "item": [
             {"name": "q", "request": {"method": "POST", "url": "https://a.example.com/g", "body": {"mode": "graphql", "graphql":
               {"query": "{ login(password: \"canary-1\") { id } }", "variables": "{\"token\": \"canary-2\",}"}}}},
             {"name": "path", "request": {"url": {"host": ["https://a.example.com"], "path": ["v", ":token"], "variable": [{"key": "token", "value": "canary-3"}]}}},
             {"name": "get canary-3", "request": {"url": "https://a.example.com/z?sig=canary-4&x=1"},
              "response": [{"code": 200, "header": [{"key": "Location", "value": "https://a.example.com/#access_token=canary-5"}],
                "body": "{\"access_token\": \"canary-6\", \"password\": \"canary-7\"}"}]},
             {"name": "b", "request": {"url": "https://a.example.com/y", "description": "Send 'Authorization: Bearer canary-8'."}}]}
            """#
        let written = try Self.written(text)
        #expect(!written.lowercased().contains("canary"), "\(written)")
        #expect(written.contains("with: {token: \"${secrets.token") && written.contains("- id: get\n"), "\(written)")
    }

    @Test func `a variable that is part of a secret one is secret`() throws {
        let outer = #", "variable": [{"key": "chain", "value": "{{chain2}}"}]"#
        let environment = #"{"name": "Test", "values": [{"key": "chain2", "value": "canary-x"}]}"#
        let text = Self.collection(#""header": [{"key": "X-Api-Key", "value": "{{chain}}"}]"#, outer: outer)
        let written = try Self.written(text, environments: [environment])
        #expect(!written.contains("canary"), "\(written)")
    }
}

extension String {
    /// The number of times that another string is in it.
    fileprivate func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
