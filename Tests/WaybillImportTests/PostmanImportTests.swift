import Testing
import WaybillDiagnostics
import WaybillImport

struct PostmanImportTests {
    /// A collection whose folders pass a token, with the parts that requests have.
    private static let collection = #"""
        {
          "info": {"name": "Shop", "description": "Orders.", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
          "variable": [{"key": "baseUrl", "value": "https://shop.example.com/v1"}, {"key": "state", "value": "open"}],
          "item": [
            {"name": "Account", "description": "Who we are.", "item": [
              {"name": "Log in", "event": [{"listen": "test", "script": {"exec": [
                 "pm.test('status is 200', () => pm.response.to.have.status(200));",
                 "pm.environment.set('token', pm.response.json().token);"]}}],
               "request": {"method": "POST", "url": "{{baseUrl}}/login", "header": [{"key": "X-Old", "value": "1", "disabled": true}],
                 "body": {"mode": "raw", "raw": "{\"user\": \"demo\", \"password\": \"tiger-17\", \"id\": {{userId}}}", "options": {"raw": {"language": "json"}}}},
               "response": [{"name": "ok", "code": 200, "header": [{"key": "Content-Type", "value": "application/json"}], "body": "{\"token\": \"abc-123\"}"}]}
            ]},
            {"name": "Orders", "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}"}]}, "item": [
              {"name": "List the orders", "request": {"method": "GET", "url": {"raw": "", "host": ["{{baseUrl}}"], "path": ["orders"],
                 "query": [{"key": "state", "value": "{{state}}"}, {"key": "page", "value": "2", "disabled": true}]}}},
              {"name": "One order", "request": {"method": "GET", "url": {"host": ["{{baseUrl}}"], "path": ["orders", ":id"],
                 "variable": [{"key": "id", "value": "7"}]}}},
              {"name": "Upload", "request": {"auth": {"type": "noauth"}, "method": "PUT", "url": "{{baseUrl}}/photo",
                 "body": {"mode": "formdata", "formdata": [{"key": "f", "type": "file", "src": "/home/me/cat.jpg"}, {"key": "t", "value": "$"}]}}}
            ]}
          ]
        }
        """#

    @Test func `folders are graphs, variables are inputs, captured values are passed on, and secrets are lifted`()
        throws
    {
        let manifest = try ImportFixture.manifest(.postman, [("shop.json", Self.collection)])
        #expect(
            manifest.text == """
                waybill: 1
                name: Shop
                description: Orders.
                inputs:
                  state: {type: string, default: open}
                  userId: string
                secrets:
                  password: {env: PASSWORD}
                services:
                  api: {baseURL: "https://shop.example.com/v1"}
                endpoints:
                  oneOrder:
                    path: /orders/${inputs.id}
                    inputs: {id: string}
                graphs:
                  main:
                    chain:
                      - graph: account
                      - graph: orders
                        with: {token: "${steps.account.outputs.token}"}
                  account:
                    description: Who we are.
                    chain:
                      # disabled header field: X-Old: 1
                      - id: logIn
                        post: /login
                        body: {json: {user: demo, password: "${secrets.password}", id: "${parse(inputs.userId)}"}}
                        outputs: {token: {value: $.token, secret: true}}
                        expect: {status: 200}
                        mock: {body: {token: "***"}}
                    outputs: {token: {value: steps.logIn.outputs.token, secret: true}}
                  orders:
                    inputs: {token: {}}
                    auth: {bearer: "${inputs.token}"}
                    chain:
                      # disabled query parameter: page=2
                      - id: listTheOrders
                        get: /orders
                        query: {state: "${inputs.state}"}
                      - call: oneOrder
                        with: {id: "7"}
                      # not imported: the folder of the file '/home/me/cat.jpg': copy the file next to the manifest,
                      #   as cat.jpg
                      - id: upload
                        put: /photo
                        auth: none
                        body: {multipart: [{name: f, file: cat.jpg}, {name: t, value: $}]}

                """
        )
        #expect(manifest.secrets.map(\.value) == ["tiger-17"])
        #expect(manifest.losses.map { $0.span?.start.line } == [18])
    }

    @Test func `an environment replaces base addresses and inputs, and never has secrets`() throws {
        let environment = #"""
            {"name": "Staging", "values": [{"key": "baseUrl", "value": "https://staging.example.com"}, {"key": "state", "value": "paid"},
             {"key": "token", "value": "staging-token", "type": "secret"}, {"key": "other", "value": "x"}, {"key": "off", "value": "y", "enabled": false}]}
            """#
        let manifest = try ImportFixture.manifest(
            .postman,
            [("shop.json", Self.collection)],
            environments: [environment]
        )
        #expect(
            manifest.text.contains(
                """
                environments:
                  # No request uses token.
                  # No request uses other: x
                  Staging: {services: {api: {baseURL: "https://staging.example.com"}}, inputs: {state: paid}}

                """
            )
        )
        #expect(!manifest.text.contains("staging-token"))
    }

    @Test func `the values of secrets are those of the only environment`() throws {
        let text = """
            {"info": {"name": "a", "schema": "getpostman.com/v2.1.0"}, "variable": [{"key": "token", "value": "first"}],
             "auth": {"type": "bearer", "bearer": {"token": "{{token}}"}}, "item": [{"request": "https://a.example.com"}]}
            """
        let values = ["one", "two"].map { #"{"name": "\#($0)", "values": [{"key": "token", "value": "\#($0)"}]}"# }
        let one = try ImportFixture.manifest(.postman, [("a.json", text)], environments: [values[0]])
        #expect(one.secrets.map(\.value) == ["one"])
        let both = try ImportFixture.manifest(.postman, [("a.json", text)], environments: values)
        #expect(both.secrets.map(\.value) == ["first"])
    }

    /// The value of the variable `url`, and what requests the URL `{{url}}`.
    @Test(arguments: [
        ("\"https://a.example.com/v1/orders\"", "get: ${inputs.url}\n"),
        ("\"https://a.example.com?x=1\"", "get: ${inputs.url}\n"),
        ("\"a.example.com/v1\"", "get: http://a.example.com/v1\n"), ("null", "get: ${inputs.url}\n"),
        ("\"https://a.example.com/\"", "get: /\n"),
    ])
    func `a variable that is a whole URL is requested as it is`(_ value: String, _ step: String) throws {
        let text = """
            {"info": {"name": "a", "schema": "getpostman.com/v2.1.0"}, "variable": [{"key": "url", "value": \(value)}],
             "item": [{"request": "{{url}}"}, {"request": "https://b.example.com/y"}]}
            """
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)])
        #expect(manifest.text.contains(step), "\(manifest.text)")
    }

    @Test func `globals are variables of the manifest`() throws {
        let globals = #"{"_postman_variable_scope": "globals", "values": [{"key": "userId", "value": "9"}]}"#
        let manifest = try ImportFixture.manifest(.postman, [("shop.json", Self.collection)], environments: [globals])
        #expect(manifest.text.contains("userId: {type: string, default: \"9\"}"))
    }

    /// The `auth` of a request, and how it is written.
    private static let methods: [(source: String, written: String)] = [
        (
            #"{"type": "basic", "basic": {"username": "me", "password": "secret-1"}}"#,
            #"auth: {basic: {username: me, password: "${secrets.password}"}}"#
        ),
        (
            #"{"type": "digest", "digest": [{"key": "username", "value": "me"}, {"key": "password", "value": "secret-1"}]}"#,
            #"auth: {digest: {username: me, password: "${secrets.password}"}}"#
        ),
        (#"{"type": "bearer", "bearer": {"token": "secret-1"}}"#, #"auth: {bearer: "${secrets.token}"}"#),
        (
            #"{"type": "apikey", "apikey": [{"key": "key", "value": "X-Key"}, {"key": "value", "value": "secret-1"}]}"#,
            #"auth: {apiKey: {in: header, name: X-Key, value: "${secrets.key}"}}"#
        ),
        (
            #"{"type": "awsv4", "awsv4": {"accessKey": "AKIA1", "secretKey": "secret-1", "region": "eu-west-1", "service": "s3"}}"#,
            "awsSigV4:"
        ),
        (
            #"{"type": "oauth2", "oauth2": [{"key": "grant_type", "value": "client_credentials"}, {"key": "accessTokenUrl", "value": "https://id.example.com/token"}, {"key": "clientId", "value": "c"}, {"key": "clientSecret", "value": "secret-1"}]}"#,
            "grant: client_credentials"
        ),
        (#"{"type": "oauth2", "oauth2": {"accessToken": "secret-1"}}"#, #"auth: {bearer: "${secrets.token}"}"#),
        (#"{"type": "noauth"}"#, "auth: none"),
    ]

    @Test(arguments: methods)
    func `a method of authentication is kept, and its secret is not`(_ pair: (source: String, written: String)) throws {
        let text =
            #"{"info": {"name": "a", "schema": "getpostman.com/v2.1.0"}, "item": [{"request": {"url": "https://a.example.com/x", "auth": \#(pair.source)}}]}"#
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)])
        #expect(manifest.text.contains(pair.written), "\(manifest.text)")
        #expect(!manifest.text.contains("secret-1"))
        #expect(manifest.losses.isEmpty)
    }

    @Test func `an unknown method of authentication is reported at its type`() throws {
        let text =
            "{\"info\": {\"name\": \"a\"}, \"item\": [{\"request\": {\"url\": \"https://a.example.com/x\",\n\"auth\": {\"type\": \"hawk\"}}}]}"
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)])
        #expect(manifest.losses.map(\.what) == ["the authentication 'hawk'"])
        #expect(manifest.losses.first?.span.map { "\($0)" } == "a.json:2:18")
    }

    @Test(arguments: [true, false])
    func `credentials that a login captures are passed to the requests after it`(isInFolder: Bool) throws {
        let items = #"""
            {"name": "Log in", "event": [{"listen": "test", "script": {"exec": ["pm.collectionVariables.set('token', pm.response.json().token);"]}}],
             "request": {"auth": {"type": "noauth"}, "method": "POST", "url": "http://a.example.com/login"}},
            {"name": "Orders", "request": {"url": "http://a.example.com/orders"}}
            """#
        let auth = #""auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}"}]}"#
        let list = isInFolder ? #"{"name": "f", \#(auth), "item": [\#(items)]}"# : items
        let text = #"{"info": {"name": "a"}, \#(isInFolder ? "" : auth + ",") "item": [\#(list)]}"#
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)])
        #expect(manifest.text.contains("auth: {bearer: \"${steps.logIn.outputs.token}\"}"), "\(manifest.text)")
        #expect(!manifest.text.contains("secrets:"))
    }

    @Test func `credentials that an export leaves out are an input and a secret, and an empty query is kept`() throws {
        let text = #"""
            {"info": {"name": "a"}, "item": [{"name": "a", "request": {"method": "POST", "url": "http://a.example.com/a",
             "auth": {"type": "oauth2", "oauth2": [{"key": "accessTokenUrl", "value": "https://x.example.com/t"}, {"key": "grant_type", "value": "client_credentials"}]},
             "body": {"mode": "graphql", "graphql": {"query": "", "variables": ""}}}}]}
            """#
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)])
        let parts = [
            "clientId: ${inputs.clientId}", "clientSecret: ${secrets.clientSecret}",
            "body: {json: {query: \"\"}}",
        ]
        #expect(parts.allSatisfy(manifest.text.contains), "\(manifest.text)")
    }

    @Test func `a field that a form has twice keeps its name`() throws {
        let text = #"""
            {"info": {"name": "a"}, "item": [{"name": "a", "request": {"method": "POST", "url": "http://a.example.com/a",
             "body": {"mode": "urlencoded", "urlencoded": [{"key": "b", "value": "1"}, {"key": "b", "value": "2"}]}}}]}
            """#
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)])
        #expect(manifest.text.contains("body: {form: {b: [1, 2]}}\n        arrays: repeat\n"), "\(manifest.text)")
    }

    @Test(arguments: [
        ("pm.expect(pm.response.json()).to.not.have.property('error');", true),
        ("tests['ok'] = !JSON.parse(responseBody).error;", true),
        ("pm.expect(pm.response.json().id).to.eql(7);", false),
        ("pm.expect(pm.response.json().id !== undefined).to.be.true;", false),
        ("pm.expect(pm.response.json().a !== 1 && !pm.response.json().b).to.be.true;", false),
    ])
    func `a test of what JSON does not have requires JSON`(script: String, isRequired: Bool) throws {
        let text = #"""
            {"info": {"name": "a"}, "item": [{"name": "a", "request": {"method": "GET", "url": "http://a.example.com/a"},
             "event": [{"listen": "test", "script": {"exec": ["SCRIPT"]}}]}]}
            """#.replacing("SCRIPT", with: script)
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)])
        #expect(manifest.text.contains("decoding: json") == isRequired, "\(manifest.text)")
    }

    @Test func `a string that a script sets is JSON where a body has it without quotes`() throws {
        let text = #"""
            {"info": {"name": "a"}, "item": [
             {"name": "one", "event": [
               {"listen": "prerequest", "script": {"exec": ["pm.environment.set('n', 5);"]}},
               {"listen": "test", "script": {"exec": ["const j = pm.response.json();", "pm.environment.set('id', j.id);",
                 "pm.environment.set('item', JSON.stringify(j.item));"]}}],
              "request": {"method": "POST", "url": "https://a.example.com/x", "body": {"mode": "raw", "raw": "{\"n\": {{n}}}",
                "options": {"raw": {"language": "json"}}}}},
             {"name": "two", "request": {"method": "POST", "url": "https://a.example.com/y", "body": {"mode": "raw",
               "raw": "{\"n\": {{n}}, \"q\": \"{{n}}\", \"id\": {{id}}, \"item\": {{item}}}", "options": {"raw": {"language": "json"}}}}}]}
            """#
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)]).text
        for part in [
            "n: ${parse(steps.values.outputs.n)}", "q: ${string(steps.values.outputs.n)}",
            "id: ${steps.one.outputs.id}",
            "item: ${parse(steps.one.outputs.item)}",
        ] {
            #expect(manifest.contains(part), "\(part)\n\(manifest)")
        }
    }

    @Test func `a test of a variable whose value is not imported is reported, and comments without requests are kept`()
        throws
    {
        let text = #"""
            {"info": {"name": "a"}, "item": [{"name": "one", "request": {"url": "https://a.example.com/x"}, "event": [
              {"listen": "test", "script": {"exec": ["pm.environment.set('sum', f(1));"]}},
              {"listen": "test", "script": {"exec": ["pm.test('sum', () => pm.expect(pm.environment.get('sum')).to.eql(2));",
                "pm.test('all', () => pm.expect(pm.response.json()).to.eql({a: 1}));"]}}]}]}
            """#
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)])
        #expect(!manifest.text.contains("inputs"), "\(manifest.text)")
        #expect(manifest.losses.contains { $0.what == "the test 'sum'" && $0.reason.contains("'sum'") })
        #expect(manifest.text.contains("expect: {equals: {a: 1}}"), "\(manifest.text)")
        let empty = #"{"info": {"name": "a"}, "item": [{"name": "one", "request": {"url": ""}}]}"#
        let without = try ImportFixture.manifest(.postman, [("a.json", empty)]).text
        #expect(without.hasPrefix("# not imported: the request 'one': it has no URL\n"), "\(without)")
    }

    /// Variables that refer to each other, to themselves, or that have unusual names.
    @Test func `variables are replaced by their values, and a cycle is not`() throws {
        let text = #"""
            {"info": {"name": "a"}, "variable": [{"key": "host", "value": "{{name}}.example.com"}, {"key": "name", "value": "shop"},
             {"key": "x", "value": "{{y}}"}, {"key": "y", "value": "{{x}}"}, {"key": "my key!", "value": "1"}, {"key": "unused", "value": "2"}],
             "item": [{"name": "a: \"b\" ${c}", "request": {"url": "https://{{host}}/{{x}}?k={{my key!}}&r={{$randomInt}}&d={{ $guid }}"}}]}
            """#
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text)])
        #expect(
            manifest.text.contains("baseURL: \"https://${inputs.host}\"")
                && manifest.text.contains("host: {type: string, default: shop.example.com}")
        )
        #expect(
            manifest.text.contains("\n  x: string\n") && manifest.text.contains("myKey: {type: string, default: \"1\"}")
        )
        #expect(manifest.text.contains("#   unused: 2") && manifest.text.contains("d: \"${uuid()}\""))
        #expect(manifest.text.contains("name: 'a: \"b\" $${c}'"))
        let cycle = "the value '{{y}}' of the variable 'x'"
        #expect(manifest.losses.map(\.what) == ["the random value '{{$randomInt}}'", cycle])
        #expect(manifest.text.contains("  # not imported: \(cycle)"))
    }

    /// Addresses, names and scripts that no manifest can have, which mutated collections have shown.
    @Test(arguments: [
        ##"{"url": "ws://a.example.com"}"##, ##"{"url": "hthttps://{{h}}:{{p}}/x"}"##,
        ##"{"url": {"host": ["a", null]}}"##, ##"{"url": "//a b"}"##,
        ##"{"url": "https://a.example.com//x"}"##, ##"{"url": "/x"}"##, ##"{"url": "{{p}}://{{h}}/{{x}}//y"}"##,
        ##"{"url": "https://a.example.com", "method": "a b"}"##,
        ##"{"url": "https://a.example.com", "header": [{"key": "a b", "value": "c"}, {"key": "X", "value": "a\nb"}]}"##,
        ##"{"url": "https://a.example.com", "body": {"mode": "formdata", "formdata": [{"key": "f", "type": "file"}]}}"##,
        ##"{"url": "https://a.example.com", "method": "POST", "body": {"mode": "raw", "raw": "{\"a\": \"\\ud83d\"}", "options": {"raw": {"language": "json"}}}}"##,
        ##"{"url": "https://a.example.com", "method": "POST", "body": {"mode": "other"}}"##, "null", "7", ##""""##,
        ##"{"url": 7, "header": 7, "body": 7, "auth": 7}"##,
    ])
    func `every request becomes a valid step or a loss`(_ request: String) throws {
        let script =
            ##"[{"listen": "test", "script": {"exec": ["pm.test('a', () => pm.expect(1).to.equal(2));"]}}, {"listen": "prerequest", "script": {"exec": "pm.globals.set('x', responseBody);"}}]"##
        let text =
            ##"{"info": {"name": "${x}", "description": "${y}"}, "item": [{"name": "${z}", "event": \##(script), "request": \##(request)}]}"##
        _ = try ImportFixture.manifest(.postman, [("a.json", text)])
    }

    @Test(arguments: [
        ("{\"info\": {\"name\": \"x\"}, \"item\": \"no\"}", "expected a list for 'item', found a string", 33),
        ("{\"info\": {\"name\": \"x\"}}", "the list 'item' is missing", 1),
        ("{\"item\": []}", "a.json is not a Postman collection: 'info' is missing", 1),
        ("{\"info\": {}, \"item\": [7]}", "expected an object, found a number", 23),
        ("{\"info\": ", "a.json is not JSON: expected a value", 10),
        (
            "{\"info\": {\"schema\": \"https://schema.getpostman.com/json/collection/v1.0.0/\"}, \"item\": []}",
            "collections of version 1 are not read; export it as version 2.1", 21
        ),
    ])
    func `a malformed collection is an error at its location`(_ text: String, _ headline: String, _ column: Int) {
        let (_, diagnostics) = ImportKind.postman.read([SourceFile(name: "a.json", text: text)])
        #expect(diagnostics.map(\.headline) == [headline])
        #expect(diagnostics.first?.primary?.span.start.column == column)
    }

    @Test func `no secret of a collection is in the manifest, in the report or in a comment`() throws {
        let text = #"""
            {"info": {"name": "a", "description": "Log in with pass-11111."}, "variable": [{"key": "apiKey", "value": "varr-11111"}, {"key": "unusedToken", "value": "unus-11111"}],
             "item": [{"name": "with pass-11111", "event": [{"listen": "prerequest", "script": {"exec": ["pm.environment.set('authToken', 'scri-11111');", "f('pass-11111');"]}}],
              "request": {"method": "POST", "url": "https://a.example.com/x/pass-11111?token=quer-11111&k={{apiKey}}",
               "header": [{"key": "X-Auth-Token", "value": "head-11111"}, {"key": "Authorization", "value": "Bearer disa-11111", "disabled": true}, {"key": "Y", "value": "{{authToken}}"}],
               "body": {"mode": "raw", "raw": "{\"password\": \"pass-11111\", \"a\": [{\"clientSecret\": \"json-11111\"}]}", "options": {"raw": {"language": "json"}}}},
              "response": [{"code": 200, "body": "{\"echo\": \"pass-11111\"}"}]},
              {"name": "b", "request": {"url": "https://a.example.com/y", "header": "Cookie: sid=cook-11111", "auth": {"type": "basic", "basic": {"username": "u", "password": "basi-11111"}}}}]}
            """#
        let manifest = try ImportFixture.manifest(.postman, [("a.json", text.replacing("\\\\", with: "\\"))])
        let written = manifest.text + manifest.losses.map { $0.what + $0.reason }.joined()
        for secret in ["pass", "varr", "unus", "scri", "quer", "head", "disa", "json", "cook", "basi"] {
            #expect(!written.contains("\(secret)-11111"), "\(written)")
        }
        let values = Set(manifest.secrets.compactMap(\.value))
        #expect(
            values.isSuperset(of: [
                "pass-11111", "varr-11111", "scri-11111", "quer-11111", "head-11111", "json-11111", "sid=cook-11111",
                "basi-11111",
            ]),
            "\(values)"
        )
    }

    @Test func `folders may be nested fifty times, and no further`() {
        let depth = 100
        let text =
            "{\"info\": {}, \"item\": [" + String(repeating: "{\"name\": \"f\", \"item\": [", count: depth)
            + String(repeating: "]}", count: depth) + "]}"
        let (_, diagnostics) = ImportKind.postman.read([SourceFile(name: "a.json", text: text)])
        #expect(diagnostics.map(\.id) == ["import-syntax"])
    }

    @Test func `a kind is recognised from the content`() {
        #expect(ImportKind(recognizing: SourceFile(name: "a", text: Self.collection)) == .postman)
        #expect(ImportKind(recognizing: SourceFile(name: "a", text: "# x\ncurl https://a.example.com")) == .curl)
        #expect(ImportKind(recognizing: SourceFile(name: "a", text: "url = \"https://a.example.com\"")) == .curl)
        #expect(ImportKind(recognizing: SourceFile(name: "a", text: "{\"a\": 1}")) == nil)
        #expect(ImportKind(recognizing: SourceFile(name: "a", text: "")) == nil)
    }
}
