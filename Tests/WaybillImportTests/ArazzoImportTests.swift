import Testing
import WaybillDiagnostics
import WaybillImport

struct ArazzoImportTests {
    /// A description with steps of one workflow, whose source is the API itself.
    private static func description(_ steps: String, workflow: String = "", more: String = "") -> String {
        """
        arazzo: 1.0.1
        info: {title: Shop, version: "1"}
        sourceDescriptions: [{name: shop, url: "https://shop.example.com/v1", type: openapi}]
        workflows:
          - workflowId: main
        \(workflow.split(separator: "\n").map { "    \($0)\n" }.joined())    steps:
        \(steps.split(separator: "\n").map { "      \($0)\n" }.joined())\(more)
        """
    }

    private static func manifest(_ steps: String, workflow: String = "", more: String = "") throws -> ImportedManifest {
        try ImportFixture.manifest(.arazzo, [("shop.arazzo.yaml", description(steps, workflow: workflow, more: more))])
    }

    @Test(
        arguments: [
            ("$statusCode == 200", "expect: {status: 200}"),
            ("$statusCode == 200 || $statusCode == 201", "expect: {status: [200, 201]}"),
            ("$statusCode < 400", "expect: {status: [2xx, 3xx]}"),
            ("$statusCode != 404", "{status: [2xx, 3xx, 4xx, 5xx], body: [response.status != 404]}"),
            ("$statusCode == 302", "redirects: false"),
            ("$response.body#/a~1b/0 == null", "body: [\"default($['a/b'][0], null) == null\"]"),
            ("$response.body.items[0].id >= 2.5", "body: [\"$.items[0].id >= 2.5\"]"),
            ("$response.body#/state != 'Open'", "lower($.state) != 'open'"),
            ("$response.header.X-Left > 3", "body: [number(response.headers.X-Left) > 3]"),
            ("$response.header.Location == 'a''b'", "headers: {Location: a'b}"),
            (
                "$statusCode == 200 && ($response.body#/a == 1 || !($response.body#/b == true))",
                "{status: 200, body: [$.a == 1 || not($.b == true)]}"
            ),
        ]
    )
    func `a simple condition is an expectation`(_ condition: String, _ expected: String) throws {
        let manifest = try Self.manifest(
            "- {stepId: a, operationPath: GET /a, successCriteria: [{condition: \"\(condition)\"}]}"
        )
        #expect(manifest.text.contains(expected), "\(manifest.text)")
        #expect(manifest.losses.isEmpty)
    }

    @Test(
        arguments: [
            ("$response.body", "regex", "^a\\\\d+$", #"body: ["match($, '(a[0-9]+)')"]"#),
            ("$statusCode", "regex", "^20[01]$", "match(string(response.status), '(20[01])')"),
            ("$response.body", "jsonpath", "$.items[?@.id == '{$inputs.id}']", "exists($.items[?@.id == inputs.id])"),
            ("$steps.a.outputs.x", "xpath", "/a", "not imported: the criterion"),
            ("$response.body", "regex", "(?=a)", "not imported: the criterion"),
            ("$request.header.X", "simple", "$request.header.X == 'a'", "not imported: the criterion"),
            ("", "simple", "$response.body#/a in b", "'in b' is not understood"),
        ]
    )
    func `another condition is an expectation, or reported`(
        _ context: String,
        _ type: String,
        _ condition: String,
        _ expected: String
    ) throws {
        let step = """
            - stepId: b
              operationPath: GET /a
              successCriteria: [{context: "\(context)", type: \(type), condition: "\(condition)"}]
            """
        let manifest = try Self.manifest(step)
        #expect(manifest.text.contains(expected), "\(manifest.text)")
    }

    private static let next = "- {stepId: b, operationPath: GET /b}\n- {stepId: c, operationPath: GET /c}"

    @Test(
        arguments: [
            (
                "onSuccess: [{name: x, type: goto, stepId: c, criteria: [{condition: $response.body#/n == 1}]}]",
                "when: steps.a.data.n != 1"
            ),
            ("onSuccess: [{name: x, type: goto, stepId: c}]", "when: false"),
            (
                "onSuccess: [{name: x, type: end, criteria: [{condition: $response.body#/n == 1}]}]",
                "- end: steps.a.data.n == 1"
            ),
            ("onSuccess: [{name: x, type: goto, stepId: a}]", "'a': it is not a later step"),
            ("onSuccess: [{name: x, type: goto, workflowId: other}]", "- graph: other"),
            ("onFailure: [{name: x, type: goto, stepId: c}]", "when: steps.a.ok"),
            (
                "onFailure: [{name: x, type: goto, stepId: c, criteria: [{condition: $statusCode == 404}]}]",
                "when: steps.a.status != 404"
            ),
            (
                "onFailure: [{name: x, type: retry, retryAfter: 0.5, retryLimit: 4}]",
                "times: 4\n          for: [dns, connect, tls, timeout, transfer, status, decode, output, expect]"
            ),
            (
                "onFailure: [{name: x, type: retry, criteria: [{condition: $statusCode >= 500}]}]",
                "retry: {times: 1, for: [5xx]}"
            ),
            (
                "onFailure: [{name: x, type: retry, criteria: [{condition: $response.body#/n == 1}]}]",
                "its condition is not only one on the status"
            ),
        ]
    )
    func `an action is a condition or a setting, or reported`(_ action: String, _ expected: String) throws {
        let other = "  - {workflowId: other, steps: [{stepId: d, operationPath: GET /d}]}"
        let steps = "- stepId: a\n  operationPath: GET /a\n  \(action)\n\(Self.next)"
        let manifest = try Self.manifest(steps, more: other)
        #expect(manifest.text.contains(expected), "\(manifest.text)")
    }

    @Test func `a number for a string parameter is sent as a string`() {
        let contract = """
            openapi: 3.0.0
            info: {title: S, version: "1"}
            paths:
              /a:
                get:
                  operationId: a
                  parameters: [{name: q, in: query, schema: {type: string}}, {name: n, in: query, schema: {type: integer}}]
                  responses: {"200": {description: ok}}
            """
        let description = """
            arazzo: 1.0.1
            info: {title: T, version: "1"}
            sourceDescriptions: [{name: s, url: s.yaml, type: openapi}]
            workflows:
              - workflowId: w
                steps: [{stepId: a, operationId: a, parameters: [{name: q, in: query, value: 5}, {name: n, in: query, value: 6}]}]
            """
        let sources = [("s.yaml", contract), ("w.yaml", description)].map { SourceFile(name: $0, text: $1) }
        let manifest = ImportedManifest(ImportKind.arazzo.read(sources).collection)
        #expect(manifest.text.contains("with: {q: \"5\", n: 6}") && manifest.losses.isEmpty, "\(manifest.text)")
    }

    @Test func `values of parameters, bodies and outputs are expressions`() throws {
        let steps = """
            - stepId: first
              operationPath: POST /items/{id}
              parameters:
                - {name: id, in: path, value: $inputs.id}
                - {name: q, in: query, value: "a {$inputs.id} ${x}"}
                - {name: X-Api-Key, in: header, value: tiger-17-key}
                - {name: lang, in: cookie, value: en}
                - {reference: $components.parameters.page, value: 2}
              requestBody:
                contentType: application/json
                payload: '{"a": "{$inputs.id}", "b": {"c": 1}, "m": "{$method}"}'
                replacements: [{target: /b/c, value: $inputs.id}]
              outputs: {x: "$response.body#/list/0", "a.b": "$response.body#/m/1/n"}
              x-security: [{schemeName: b, values: {token: tiger-17-key}}]
            - stepId: second
              operationPath: GET /second
              parameters: [{name: v, in: query, value: $steps.first.outputs.a.b}, {name: w, in: query, value: $steps.none.outputs.x}]
            """
        let workflow = """
            inputs: {type: object, required: [id], properties: {id: {type: integer, format: int64}, n: {type: string, nullable: true}}}
            outputs: {x: $steps.first.outputs.x, y: $steps.first.outputs.none}
            """
        let manifest = try Self.manifest(
            steps,
            workflow: workflow,
            more:
                "components: {parameters: {page: {name: page, in: query, value: 1}, unused: {name: u, in: query, value: 1}}}"
        )
        for part in [
            "# No workflow uses components.parameters.unused.",
            "post: /items/${inputs.id}", "q: \"a ${inputs.id} $${x}\"", "page: 2", "Cookie: lang=en",
            "X-Api-Key: \"${secrets.apiKey}\"", "{json: {a: \"${inputs.id}\", b: {c: 1}, m: POST}}",
            "x: \"$.list[0]\"", "aB: \"$.m[1].n\"", "v: \"${steps.first.outputs.aB}\"", "w: \"${inputs.w}\"", "w: {}",
            "outputs: {x: steps.first.outputs.x}", "n: {type: [string, \"null\"], default: null}", "id: integer",
        ] {
            #expect(manifest.text.contains(part), "\(part)\n\(manifest.text)")
        }
        #expect(!manifest.text.contains("tiger-17-key"))
        #expect(manifest.losses.count == 5, "\(manifest.losses)")
        #expect(manifest.losses.allSatisfy { $0.span != nil })
    }

    @Test func `workflows run each other with their inputs, and secrets are not inputs`() throws {
        let steps = """
            - stepId: call
              workflowId: child
              parameters: [{name: token, value: $inputs.my_token}]
              outputs: {id: $outputs.id}
            - {stepId: use, operationPath: "GET /{id}", parameters: [{name: id, in: path, value: $steps.call.outputs.id}]}
            """
        let workflow = """
            dependsOn: [before]
            inputs: {type: object, properties: {my_token: {type: string}, env: {type: object, properties: {REGION: {type: string}}}}}
            parameters: [{name: X-Region, in: header, value: $inputs.env.REGION}]
            """
        let more = """
              - {workflowId: before, steps: [{stepId: d, operationPath: GET /d}]}
              - workflowId: child
                inputs: {type: object, properties: {token: {type: string}, size: {type: integer}}}
                dependsOn: [main]
                steps:
                  - stepId: e
                    operationPath: GET /e
                    parameters: [{name: size, in: query, value: $inputs.size}, {name: Authorization, in: header, value: "Bearer {$inputs.token}"}]
                    outputs: {id: $response.body#/id}
                outputs: {id: $steps.e.outputs.id}
            """
        let manifest = try Self.manifest(steps, workflow: workflow, more: more)
        for part in [
            "- graph: before", "with: {token: \"${secrets.my_token}\"}", "get: /${steps.call.outputs.id}",
            "REGION: {type: string, env: REGION}", "X-Region: \"${inputs.REGION}\"", "token: string",
            "size: {type: [integer, \"null\"], default: null}", "auth: {bearer: \"${inputs.token}\"}",
            "not imported: the dependency on 'main': the workflows depend on each other",
        ] {
            #expect(manifest.text.contains(part), "\(part)\n\(manifest.text)")
        }
    }

    @Test(
        arguments: [
            ("arazzo: 2.0.0\nsourceDescriptions: []\nworkflows: []", 1, "expected a version"),
            ("arazzo: 1.0.0\nworkflows: []", 1, "the list 'sourceDescriptions' is missing"),
            (
                "arazzo: 1.0.0\nsourceDescriptions: []\nworkflows:\n  - {workflowId: a}", 4,
                "the list 'steps' is missing"
            ),
            ("arazzo: 1.0.0\nsourceDescriptions: []\nworkflows:\n  - {workflowId: a, steps: [{}]}", 4, "no 'stepId'"),
            ("arazzo: 1.0.0\nworkflows: [", 2, ""),
            ("openapi: 4.0.0", 1, "'arazzo' is missing"),
        ]
    )
    func `a malformed description is refused at its location`(_ text: String, _ line: Int, _ message: String) {
        let (_, diagnostics) = ImportKind.arazzo.read([SourceFile(name: "a.yaml", text: text)])
        #expect(diagnostics.first?.id == "import-syntax")
        #expect(diagnostics.first?.primary?.span.start.line == line, "\(HumanRenderer().render(diagnostics))")
        #expect(message.isEmpty || diagnostics.contains { $0.headline.contains(message) })
    }

    @Test func `hostile descriptions end in bounded time`() throws {
        let deep = String(repeating: "(", count: 20_000) + "$statusCode == 200"
        let long = Array(repeating: "$statusCode == 200", count: 5000).joined(separator: " && ")
        let nested = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        for condition in [deep, long, "'", "!", "$", "{$statusCode"] {
            _ = try Self.manifest(
                "- {stepId: a, operationPath: GET /a, successCriteria: [{condition: \"\(condition)\"}]}"
            )
        }
        _ = try Self.manifest("- {stepId: a, operationPath: POST /a, requestBody: {payload: \(nested)}}")
        let cycle = "inputs: {$ref: \"#/components/inputs/a\"}"
        _ = try Self.manifest(
            "- {stepId: a, operationPath: GET /a}",
            workflow: cycle,
            more: "components: {inputs: {a: {$ref: \"#/components/inputs/a\"}}}"
        )
    }
}
