import Testing
import WaybillPlan
import WaybillPlanPrinting
import WaybillTestSupport

@testable import WaybillPipeline

/// A plan shows no secrets in any format.
@Suite(.timeLimit(.minutes(5))) struct PlanSecrecyTests {
    /// A manifest in which every `hunter2` is a credential.
    private static let manifest = """
        inputs: {copy: {type: string, default: "the value is hunter2"}, number: {type: integer, default: 4711}}
        secrets: {password: {env: PASSWORD}, unused: {env: UNUSED}, number: {env: NUMBER}}
        environments: {dev: {secrets: {unused: {env: DEV}}}}
        defaults: {proxy: "http://me:hunter2@127.0.0.1:1080", headers: {cookie: a=hunter2, X-Copy: "hunter2"}}
        services:
          s:
            baseURL: http://127.0.0.1/
            session: {call: e, with: {x: hunter2}}
            auth: {basic: {username: me, password: hunter2}}
        filters: {f: [{map: {a: hunter2}}, {require: {that: "$ == 'hunter2'", message: "'hunter2'"}}]}
        endpoints:
          e:
            path: /a/hunter2
            inputs: {x: {type: string, default: hunter2, enum: [hunter2]}}
            filters: [f]
            auth: {bearer: "tok-hunter2-${inputs.x}"}
        graphs:
          hunter2-graph:
            tags: [hunter2]
            chain:
              - {id: a, name: name of hunter2, call: e, with: {x: "hunter2 ${inputs.copy}"}}
              - {get: /b, auth: {digest: {username: a, password: "${'hunter2'}"}}}
              - {get: /b, auth: {apiKey: {in: query, name: k, value: hunter2}}, params: {p: {q: [hunter2]}}}
              - get: /c
                auth: {oauth2: {tokenURL: "http://127.0.0.1/", grant: password, username: a, password: hunter2}}
              - get: /d
                auth: {awsSigV4: {region: a, service: b, accessKey: c, secretKey: hunter2, sessionToken: hunter2}}
              - {post: /e, body: {json: {deep: [{er: hunter2}]}}, expect: {json: {a: hunter2}, body: ["$ != 'hunter2'"]}}
              - {values: {v: "'hunter2'", w: "'aHVudGVyMg=='"}, when: "inputs.copy == 'hunter2'"}
            outputs: {o: "'hunter2'"}
        """

    @Test(arguments: PlanFixture.documents.indices)
    func `the value of a secret is not shown anywhere`(format: Int) throws {
        var options = PlanOptions()
        options.variables = ["PASSWORD": "hunter2", "DEV": "aHVudGVyMg==", "NUMBER": "4711"]
        let description = try PlanFixture.description(Self.manifest, environment: "dev", options: options)
        let document = PlanFixture.documents[format](description)
            // Names belong to the structure of the manifest and are never values.
            .replacing("hunter2-graph", with: "")
        #expect(!document.contains("hunter2"), "\(document)")
        #expect(!document.contains("aHVudGVyMg=="), "\(document)")
        #expect(!document.contains("4711"), "\(document)")
    }

    @Test(arguments: PlanFixture.documents.indices)
    func `literal credentials are not shown, whatever the environment contains`(format: Int) throws {
        let places = """
            defaults: {proxy: "http://me:hunter2@127.0.0.1:1080", headers: {COOKIE: a=hunter2, Proxy-Authorization: hunter2}}
            services: {s: {baseURL: "http://127.0.0.1/", auth: {basic: {username: me, password: hunter2}}}}
            graphs:
              main:
                chain:
                  - {get: /a}
                  - {get: /b, auth: {bearer: hunter2}, headers: {Authorization: Basic hunter2}}
                  - {get: /b, auth: {apiKey: {in: query, name: k, value: hunter2}}}
                  - {get: /b, auth: {digest: {username: a, password: "${concat('hunter2', '')}"}}}
                  - get: /c
                    auth: {oauth2: {tokenURL: "http://127.0.0.1/", grant: refresh_token, refreshToken: hunter2}}
                  - get: /d
                    auth: {awsSigV4: {region: a, service: b, accessKey: c, secretKey: hunter2}}
                  - post: /e
                    auth: none
                    body: {multipart: [{name: a, text: b, headers: {Authorization: hunter2}}]}
            """
        let document = PlanFixture.documents[format](try PlanFixture.description(places))
        #expect(!document.contains("hunter2"), "\(document)")
    }

    @Test func `the explanation of an endpoint shows neither credentials nor the values of secrets`() throws {
        let folder = TemporaryFolder()
        let path = folder.write(
            """
            waybill: 1
            secrets: {password: {env: PASSWORD}}
            environments: {dev: {services: {s: {auth: {bearer: hunter2}}}}}
            defaults: {proxy: "http://me:hunter2@127.0.0.1:1080", headers: {Cookie: a=hunter2, X-Copy: "4711"}}
            services: {s: {baseURL: "http://127.0.0.1/", auth: {basic: {username: me, password: hunter2}}}}
            endpoints: {e: {path: /a, headers: {Cookie: b=hunter2}, params: {p: "4711"}, inputs: {x: {const: "4711"}}}}
            """,
            to: "manifest.yaml"
        )
        var options = PlanOptions()
        options.variables = ["PASSWORD": "4711"]
        let pipeline = Pipeline()
        let stage = pipeline.check(pipeline.load(path), environment: "dev").then { [options] in
            Pipeline.explain("e", of: $0, options)
        }
        let explanation = try #require(stage.value, "\(stage.diagnostics)")
        for document in [
            explanation.text(), explanation.jsonDocument,
        ] {
            #expect(!document.contains("hunter2") && !document.contains("4711"), "\(document)")
            #expect(document.contains("X-Copy") && document.contains("***"))
        }
    }
}
