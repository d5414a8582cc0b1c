import Testing
import WaybillDiagnostics
import WaybillImport
import WaybillTestSupport

/// Sources in which every string that can be chosen freely looks like an expression of the manifest language. It calls an
/// unknown function: `validate` reports an error wherever it would be evaluated, and where a constant cannot have it.
struct ForeignExpressionTests {
    private static let curl = #"""
        # X
        curl -g 'https://a.example.com/X/X?X=X&a=X' -H 'X-A: X' -A 'X' -e 'X' -b 'X=X' -u 'X:X' --data-raw 'X=X' -X 'X'
        curl https://a.example.com/b -F 'X=X' -F 'g=@a.txt;filename=X;type=X' -F 'h=@X;type=a/b;headers="X-A: X"'
        curl https://a.example.com/c -x 'X' --cacert 'X' --cert 'X' --key 'X' --unix-socket 'X' --interface 'X' \
          --pinnedpubkey 'X' -c 'X' --netrc-file 'X' --max-time 'X' --range 'X' --noproxy 'X' --retry 'X' --resolve 'X:1:1.1.1.1'
        curl https://a.example.com/d --json '{"X":"X", "a": ["X"]}' --oauth2-bearer 'X'
        curl https://a.example.com/e -T 'X'
        curl https://a.example.com/f --data-binary '@X'
        curl https://a.example.com/g --aws-sigv4 'X:X:X:X' -u 'X:X' --url-query 'X=X' --max-filesize 'X' --max-redirs 'X'
        curl -g 'https://X/a' 'X' 'https://X:X@a.example.com/'
        curl https://a.example.com/h -G -d 'X' --data-urlencode 'X=X' -H 'X: X' -H 'Content-Type: X'
        """#
    private static let har = #"""
        {"log": {"version": "1.2", "creator": {"name": "X", "version": "X"}, "pages": [{"id": "X", "title": "X"}], "entries": [
        {"startedDateTime": "2026-01-01T00:00:00Z", "time": 1, "pageref": "X", "comment": "X", "request": {"method": "POST",
        "url": "https://a.example.com/X?X=X", "httpVersion": "HTTP/1.1", "cookies": [], "queryString": [{"name": "X", "value": "X"}],
        "headers": [{"name": "X-A", "value": "X"}, {"name": "X", "value": "X"}, {"name": "User-Agent", "value": "X"}],
        "postData": {"mimeType": "application/json", "text": "{\"X\": \"X\"}"}}, "response": {"status": 200, "statusText": "X",
        "headers": [{"name": "Content-Type", "value": "X"}], "content": {"mimeType": "X", "text": "X"}, "redirectURL": "X"}},
        {"startedDateTime": "2026-01-01T00:00:01Z", "time": 1, "request": {"method": "POST", "url": "https://a.example.com/b",
        "headers": [{"name": "Content-Type", "value": "multipart/form-data; boundary=b"}], "postData": {"mimeType":
        "multipart/form-data; boundary=b", "text": "--b\r\nContent-Disposition: form-data; name=\"X\"; filename=\"X\"\r\nContent-Type: a/X\r\n\r\nX\r\n--b\r\nContent-Disposition: form-data; name=\"X\"\r\n\r\nX\r\n--b--\r\n"}},
        "response": {"status": 200, "headers": [], "content": {}}}, {"startedDateTime": "2026-01-01T00:00:02Z", "time": 1,
        "request": {"method": "POST", "url": "https://a.example.com/c", "headers": [], "postData": {"mimeType":
        "application/x-www-form-urlencoded", "text": "X=X"}}, "response": {"status": 200, "headers": [], "content": {}}}]}}
        """#
    private static let postman = #"""
        {"info": {"name": "X", "description": "X", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
        "variable": [{"key": "X", "value": "X"}, {"key": "v", "value": "X"}, {"key": "w", "value": "{{v}}X"}],
        "auth": {"type": "apikey", "apikey": [{"key": "key", "value": "X"}, {"key": "value", "value": "X"}]}, "item": [
        {"name": "X", "description": "X", "item": [{"name": "X", "request": {"method": "POST", "description": "X",
        "url": "https://a.example.com/X/{{v}}/:p?X=X&a={{w}}", "header": [{"key": "X-A", "value": "X{{v}}"}],
        "auth": {"type": "oauth2", "oauth2": [{"key": "accessTokenUrl", "value": "https://a.example.com/t"}, {"key": "grant_type",
        "value": "client_credentials"}, {"key": "clientId", "value": "X"}, {"key": "clientSecret", "value": "X"}, {"key": "scope", "value": "X"}]},
        "body": {"mode": "raw", "raw": "{\"X\": \"X{{v}}\", \"b\": \"X\"}", "options": {"raw": {"language": "json"}}}},
        "response": [{"name": "X", "code": 200, "body": "{\"X\": \"X\"}", "header": [{"key": "Location", "value": "X"}]}],
        "event": [{"listen": "test", "script": {"exec": ["pm.test('X', () => {", "pm.response.to.have.status(200);",
        "pm.expect(pm.response.json().a).to.eql('X'); pm.response.to.have.header('X-A', 'X'); });",
        "pm.environment.set('X', pm.response.json()['X']);"]}}, {"listen": "prerequest", "script": {"exec":
        ["pm.variables.set('v', 'X')"]}}]}]},
        {"name": "b", "request": {"method": "POST", "url": "https://a.example.com/b", "body": {"mode": "formdata", "formdata": [
        {"key": "X", "value": "X", "type": "text", "contentType": "a/b"}, {"key": "X", "type": "file", "src": "X"}]}}},
        {"name": "c", "request": {"method": "POST", "url": "https://a.example.com/c", "auth": {"type": "awsv4", "awsv4": [
        {"key": "accessKey", "value": "X"}, {"key": "secretKey", "value": "X"}, {"key": "region", "value": "X"}, {"key": "service",
        "value": "X"}]}, "body": {"mode": "urlencoded", "urlencoded": [{"key": "X", "value": "X"}]}}},
        {"name": "d", "request": {"method": "POST", "url": "https://a.example.com/d", "body": {"mode": "graphql",
        "graphql": {"query": "query { X }", "variables": "{\"X\": \"X\"}"}}}},
        {"name": "e", "request": {"method": "POST", "url": "https://a.example.com/e", "body": {"mode": "file", "file": {"src": "X"}}}}]}
        """#
    private static let bruno = #"""
        meta {
          name: X
          tags: [X]
        }
        post {
          url: https://a.example.com/X?X=X
          body: multipartForm
          auth: basic
        }
        headers {
          X-A: X
        }
        auth:basic {
          username: X
          password: X
        }
        body:multipart-form {
          X: X
          f: @file(X)
        }
        vars:pre-request {
          a: X
        }
        vars:post-response {
          b: res.body['X']
        }
        assert {
          res.body.a: eq X
        }
        docs {
          X
        }
        """#
    private static let http = #"""
        @v = X
        ### X
        # @name X
        POST https://a.example.com/X/{{v}}?X=X
        X-A: X{{v}}
        Content-Type: application/json

        {"X": "X"}

        ### b
        POST https://a.example.com/b
        Content-Type: multipart/form-data; boundary=b

        --b
        Content-Disposition: form-data; name="X"; filename="X"

        < X
        --b
        Content-Disposition: form-data; name="X"
        X-A: X

        X{{$processEnv X}}
        --b--

        ### c
        GRAPHQL https://a.example.com/c

        query { X }
        """#
    private static let hurl = #"""
        # X
        POST https://a.example.com/X
        X-A: X
        [Query]
        X: X
        [Multipart]
        X: X
        f: file,X;
        [Options]
        proxy: X
        user: X
        unix-socket: X
        variable: v=X
        HTTP 200
        X-B: X
        [Captures]
        X: jsonpath "$.a"
        [Asserts]
        jsonpath "$.a" == "X"
        header "X" contains "X"

        POST https://a.example.com/b
        [Form]
        X: X
        [Cookies]
        X: X
        HTTP 200
        `X`
        """#
    private static let arazzo = #"""
        {"arazzo": "1.0.0", "info": {"title": "X", "summary": "X", "version": "1"}, "sourceDescriptions": [{"name": "s", "url":
        "https://a.example.com/X.json", "type": "openapi"}], "workflows": [{"workflowId": "w", "summary": "X", "inputs": {"type": "object",
        "properties": {"a": {"type": "string", "default": "X"}, "env": {"type": "object", "properties": {"X": {"type": "string"}}}}},
        "steps": [{"stepId": "X", "description": "X", "operationId": "op", "parameters": [
        {"name": "X", "in": "query", "value": "X"}, {"name": "X-A", "in": "header", "value": "X"}, {"name": "X", "in": "cookie", "value": "X"}],
        "requestBody": {"contentType": "application/json", "payload": {"a": "X", "X": "b"}}, "successCriteria": [{"condition":
        "$statusCode == 200"}, {"condition": "$response.body#/a == 'X'"}], "outputs": {"o": "$response.body#/X"}},
        {"stepId": "t", "x-operation": {"method": "post", "url": "https://a.example.com/{p}/X"}, "parameters": [
        {"name": "p", "in": "path", "value": "X"}, {"name": "X", "in": "cookie", "value": "X"}, {"name": "q", "in": "query", "value": 1}],
        "requestBody": {"contentType": "X/X", "payload": "X"}}], "outputs": {"z": "X"}}]}
        """#
    private static let sources: [(kind: ImportKind, name: String, text: String)] = [
        (.curl, "x.sh", curl), (.har, "x.har", har), (.postman, "x.json", postman), (.bruno, "c/x.bru", bruno),
        (.http, "x.http", http), (.hurl, "x.hurl", hurl), (.arazzo, "x.json", arazzo),
    ]

    /// The second starts with a character that Swift joins with the dollar sign, the third has escaped and further ones.
    @Test(arguments: ["${nosuch(1)}", "\u{600}${nosuch(1)}", "$${nosuch(1)}$${"], sources.map(\.kind))
    func `no string of a source is evaluated, and the manifest is valid`(_ text: String, _ kind: ImportKind) throws {
        let source = try #require(Self.sources.first { $0.kind == kind })
        // Names such as X-A and words of JSON stay.
        let parts = source.text.split(separator: "X", omittingEmptySubsequences: false)
        let written = parts.dropFirst().reduce(String(parts[0])) {
            $0 + ($1.hasPrefix("-A") || $1.hasPrefix("-B") ? "X" : text) + $1
        }
        let (collection, diagnostics) = kind.read([SourceFile(name: source.name, text: written)])
        #expect(diagnostics.isEmpty, "\(HumanRenderer().render(diagnostics))")
        let manifest = ImportedManifest(collection).text
        // Files that the source names are not there.
        let errors = ImportFixture.diagnostics(of: manifest).filter {
            $0.severity == .error && $0.id != "unreadable-file"
        }
        #expect(errors.isEmpty, "\(manifest)\(HumanRenderer().render(errors))")
        // The values of the second look like secrets, which become references.
        #expect(!text.hasPrefix("$") || Array(manifest.utf8).firstRange(of: "$${nosuch".utf8) != nil, "\(manifest)")
    }

    @Test func `strings keep their meaning where they are templates`() throws {
        let source = """
            curl https://a.example.com/b -F '${x}=${y}' -F 'b=$'"$PRICE" -F "c=\\${PRICE" -F '\u{600}${z}=v'
            """
        #expect(
            try ImportFixture.manifest(.curl, [("x.sh", source)]).text.contains(
                """
                          multipart:
                            - {name: "$${x}", value: "$${y}"}
                            - {name: b, value: "${'$'}${inputs.PRICE}"}
                            - {name: c, value: "$${PRICE"}
                            - {name: "\u{600}$${z}", value: v}
                """
            )
        )
    }

    /// Sources of a length: with 16 times of it, quadratic work takes 256 times as long.
    private static let growing: [(kind: ImportKind, source: @Sendable (Int) -> String)] = [
        (.curl, { "curl https://a.example.com/ " + (0..<$0).map { "-H 'X-\($0): y' " }.joined() }),
        (.curl, { "curl 'https://a.example.com/?" + (0..<$0).map { "a\($0)=\($0)" }.joined(separator: "&") + "'" }),
        (.curl, { "curl https://a.example.com/ -d \"" + String(repeating: "ab", count: $0 * 8) + "\"" }),
        (
            .curl,
            { count in
                (0..<2).map { "curl https://a.example.com/\($0) " + (0..<count).map { "-H 'X-\($0): y' " }.joined() }
                    .joined(separator: "\n")
            }
        ),
        (.curl, { "curl https://a.example.com/ -d '" + (0..<$0).map { "token=Ab3dEf9\($0) " }.joined() + "'" }),
        (.curl, { "curl https://a.example.com/ -d \"" + String(repeating: "${a:", count: $0) + "\"" }),
        (.http, { "GET https://a.example.com/\n\n" + String(repeating: "{{", count: $0 * 4) + "}}" }),
        (
            .http,
            {
                "@v0 = x\n" + (1..<$0).map { "@v\($0) = {{v\($0 - 1)}}\n" }.joined()
                    + "###\nGET https://a.example.com/{{v9}}"
            }
        ),
    ]

    @Test(arguments: growing.indices)
    func `the time of an import grows with the size of the source`(_ index: Int) throws {
        let (kind, source) = Self.growing[index]
        func time(_ count: Int) -> Duration {
            let file = SourceFile(name: "x", text: source(count))
            return ContinuousClock().measure { _ = ImportedManifest(kind.read([file]).collection) }
        }
        let (long, short) = (time(1600), max(time(100), time(100)))
        #expect(long < short * 64, "\(short), \(long)")
    }
}
