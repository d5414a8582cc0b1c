import Testing
import WaybillDiagnostics
import WaybillImport

/// Collections of Postman in version 3, which are folders.
struct PostmanFolderTests {
    private static let files: [(name: String, text: String)] = [
        (
            "pm/collections/books/.resources/definition.yaml",
            """
            $kind: collection
            name: Bookstore
            description: Books and who reads them.
            variables: [{key: base_url, value: 'https://api.example.com/v1'}]
            auth: {type: bearer, credentials: {token: '{{token}}'}}
            scripts:
              - type: http:afterResponse
                code: pm.test('is fast', () => pm.expect(pm.response.responseTime).to.be.below(900));
            """
        ),
        (
            "pm/collections/books/all.request.yaml",
            """
            $kind: http-request
            url: '{{base_url}}/books?state=open'
            order: 1000
            headers: {Accept: application/json}
            queryParams:
              - {key: state, value: open}
              - {key: page, value: '2', disabled: true}
              - {key: size, value: '10'}
            scripts:
              - type: afterResponse
                language: text/javascript
                code: |-
                  pm.test('ok', () => pm.response.to.have.status(200));
                  for (const x of y) {}
            """
        ),
        (
            "pm/collections/books/.resources/all.resources/examples/200 OK.example.yaml",
            """
            $kind: http-example
            request: {url: '{{base_url}}/books', method: GET}
            response:
              statusCode: 200
              headers: [{key: Content-Type, value: application/json}]
              body: {type: json, content: '[{"id": 1}]'}
            """
        ),
        (
            "pm/collections/books/one.request.yaml",
            """
            $kind: http-request
            name: 'a book: :id'
            url: '{{base_url}}/books/:id'
            order: 2000
            pathVariables: [{key: id, value: '1'}]
            settings: {followRedirects: false, protocolVersion: http1}
            """
        ),
        ("pm/collections/books/stream.request.yaml", "$kind: grpc-request\nurl: grpc.example.com\n"),
        ("pm/collections/books/auth/.resources/definition.yaml", "$kind: collection\norder: 500\n"),
        (
            "pm/collections/books/auth/login.request.yaml",
            """
            $kind: http-request
            method: POST
            url: '{{base_url}}/login'
            auth: {type: noauth}
            body: {type: urlencoded, content: {user: demo, password: tiger-17}}
            scripts: [{type: afterResponse, code: "pm.environment.set('token', pm.response.json().token);"}]
            """
        ),
        (
            "pm/collections/books/query.request.yaml",
            "$kind: graphql-request\nurl: '{{base_url}}/graphql'\nquery: '{ books { id } }'\nvariables: '{\"n\": 1}'\n"
        ),
        (
            "pm/environments/Staging.environment.yaml",
            "name: Staging\nvalues: [{key: base_url, value: 'https://staging.example.com/v1', enabled: true}]\n"
        ),
    ]

    @Test func `the files of a folder are one collection`() throws {
        let manifest = try ImportFixture.manifest(.postman, Self.files)
        #expect(
            manifest.text == """
                # not imported: the request 'stream.request.yaml': 'grpc-request' is not an HTTP request
                waybill: 1
                name: Bookstore
                description: Books and who reads them.
                secrets:
                  password: {env: PASSWORD}
                environments:
                  Staging: {services: {api: {baseURL: "https://staging.example.com/v1"}}}
                services:
                  api: {baseURL: "https://api.example.com/v1"}
                endpoints:
                  aBookId:
                    path: /books/${inputs.id}
                    inputs: {id: string, token: {}}
                    auth: {bearer: "${inputs.token}"}
                    redirects: false
                    http: "1.1"
                graphs:
                  main:
                    chain:
                      - graph: auth
                      # not imported: the script statement 'for (const x of y) {}': a loop of a script has no
                      #   counterpart; a step has 'forEach'
                      # disabled query parameter: page=2
                      - id: all
                        get: /books
                        query: {state: open, size: 10}
                        headers: {Accept: application/json}
                        auth: {bearer: "${steps.auth.outputs.token}"}
                        expect: {status: 200, maxTime: 900ms}
                        mock: {body: [{id: 1}]}
                      - call: aBookId
                        name: "a book: :id"
                        with: {id: "1", token: "${steps.auth.outputs.token}"}
                        expect: {maxTime: 900ms}
                      - id: query
                        post: /graphql
                        auth: {bearer: "${steps.auth.outputs.token}"}
                        body: {graphql: {query: "{ books { id } }", variables: {n: 1}}}
                        expect: {maxTime: 900ms}
                  auth:
                    chain:
                      - id: login
                        post: /login
                        auth: none
                        body: {form: {user: demo, password: "${secrets.password}"}}
                        outputs: {token: {value: $.token, secret: true}}
                        expect: {maxTime: 900ms}
                    outputs: {token: {value: steps.login.outputs.token, secret: true}}

                """
        )
        #expect(
            manifest.losses.map { "\($0.span.map { "\($0)" } ?? "")" } == [
                "pm/collections/books/stream.request.yaml:1:8", "pm/collections/books/all.request.yaml:12:11",
            ]
        )
    }

    @Test func `several collections are folders of one manifest`() throws {
        let manifest = try ImportFixture.manifest(
            .postman,
            ["a", "b"].map { ("c/\($0)/x.request.yaml", "$kind: http-request\nurl: https://\($0).example.com/x\n") }
        )
        #expect(manifest.text.contains("- graph: a\n      - graph: b\n"))
    }

    @Test(arguments: [
        ("$kind: http-request\nurl: {{base}}/x\n", 2), ("$kind: http-request\nmethod: [\n", 2), ("", 1),
        ("$kind: http-request\nheaders: {a: *b}\n", 2),
    ])
    func `a file that is not YAML is an error at its location`(_ text: String, _ line: Int) {
        let (_, diagnostics) = ImportKind.postman.read([SourceFile(name: "a/x.request.yaml", text: text)])
        #expect(diagnostics.hasErrors)
        #expect(diagnostics.first?.primary?.span.start.line == line, "\(HumanRenderer().render(diagnostics))")
    }
}
