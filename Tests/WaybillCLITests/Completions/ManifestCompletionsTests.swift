import Testing
import WaybillTestSupport

@testable import WaybillCLI

/// What completes words with the names in a manifest.
@Suite(.timeLimit(.minutes(5))) struct ManifestCompletionsTests {
    private let folder = TemporaryFolder()
    private let manifest: String

    init() {
        manifest = folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9/", tag: served}}
            inputs:
              colour: {type: string, enum: [red, "dark blue"]}
              level: {enum: [1, 2.50, null, "x"]}
              debug: boolean
              maybe: {type: [boolean, "null"]}
              token: string
            environments: {staging: {}, production: {}}
            endpoints:
              order: {path: /order, tag: shop, inputs: {id: integer, fast: boolean, debug: string}}
              orders: {path: /orders}
            graphs:
              main:
                tags: [smoke]
                state: {since: {default: 1, next: "2"}}
                chain:
                  - {id: login, get: /login, tag: slow}
                  - id: both
                    batch: [{id: inner, get: /a}, {call: order}]
                finally: [{id: last, get: /b}]
              nightly: {state: {since: {default: 1, next: "2"}}, chain: [{id: pull, get: /pull}]}
            """,
            to: "shop.yaml"
        )
    }

    /// The candidates for the last word, after `waybill run` and some words.
    private func candidates(_ kind: ManifestCompletions.Kind, _ words: String..., prefix: String = "") -> [String] {
        let all = ["waybill", "run"] + words + [prefix]
        let options: Set = ["--graph", "--env", "--inputs"]
        let line = CommandWords(all, at: all.count - 1, prefix: prefix, depth: 2, valueOptions: options)
        return ManifestCompletions(line).candidates(for: kind)
    }

    @Test func `names are completed from the manifest, in its order`() {
        #expect(candidates(.graph, manifest) == ["main", "nightly"])
        #expect(candidates(.environment, manifest) == ["staging", "production"])
        #expect(candidates(.endpoint, manifest) == ["order", "orders"])
        #expect(candidates(.tag, manifest) == ["smoke", "served", "shop", "slow"])
        #expect(candidates(.state, manifest) == ["since", "main.since", "nightly.since"])
    }

    @Test func `operations of OpenAPI documents and their inputs are completed`() {
        folder.write(
            """
            openapi: 3.1.0
            paths:
              /a: {get: {operationId: list, parameters: [{name: sort, in: query, schema: {enum: [up, down]}}]}, put: {}}
            """,
            to: "api.yaml"
        )
        let manifest = folder.write(
            "waybill: 1\nservices: {s: {openapi: api.yaml}}\nendpoints: {own: {url: /}}\n",
            to: "m.yaml"
        )
        #expect(candidates(.endpoint, manifest) == ["own", "s.list", "s.PUT /a"])
        #expect(candidates(.endpointInput, manifest, "s.list") == ["sort="])
        #expect(candidates(.endpointInput, manifest, "s.list", prefix: "sort=d") == ["sort=down"])
    }

    @Test func `only names with the prefix are offered`() {
        #expect(candidates(.graph, manifest, prefix: "ni") == ["nightly"])
        #expect(candidates(.graph, manifest, prefix: "x").isEmpty)
    }

    @Test func `steps that can be selected are offered, of the selected graphs if there are any`() {
        #expect(candidates(.step, manifest) == ["login", "both", "inner", "order", "pull"])
        #expect(candidates(.step, manifest, "--graph", "nightly") == ["pull"])
        #expect(candidates(.step, manifest, "--graph=nightly") == ["pull"])
    }

    @Test func `inputs are completed with an equals sign, then with the values of their schemas`() {
        #expect(candidates(.input, manifest) == ["colour=", "level=", "debug=", "maybe=", "token="])
        #expect(candidates(.input, manifest, prefix: "colour=") == ["colour=red", "colour=dark blue"])
        #expect(candidates(.input, manifest, prefix: "colour=d") == ["colour=dark blue"])
        #expect(candidates(.input, manifest, prefix: "level=") == ["level=1", "level=2.50", "level=null", "level=x"])
        #expect(candidates(.input, manifest, prefix: "debug=") == ["debug=true", "debug=false"])
        #expect(candidates(.input, manifest, prefix: "maybe=t") == ["maybe=true"])
        #expect(candidates(.input, manifest, prefix: "token=").isEmpty)
        #expect(candidates(.input, manifest, prefix: "other=").isEmpty)
    }

    @Test func `the inputs of an endpoint come before those of its manifest`() {
        let all = ["id=", "fast=", "debug=", "colour=", "level=", "maybe=", "token="]
        #expect(candidates(.endpointInput, manifest, "order") == all)
        #expect(candidates(.endpointInput, manifest, "order", prefix: "fast=") == ["fast=true", "fast=false"])
        #expect(candidates(.endpointInput, manifest, "unknown", prefix: "t") == ["token="])
    }

    @Test func `an input of an endpoint hides that of the manifest with the same name`() {
        #expect(candidates(.endpointInput, manifest, "order", prefix: "debug=").isEmpty)
    }

    @Test func `the manifests of a folder are read, and files that are values of options are not`() {
        let other = folder.write("waybill: 1\ngraphs: {other: {chain: []}}\n", to: "more/other.yaml")
        #expect(candidates(.graph, folder.path) == ["other", "main", "nightly"])
        #expect(candidates(.graph, other, manifest) == ["other", "main", "nightly"])
        #expect(candidates(.graph, "--inputs", other, manifest) == ["main", "nightly"])
        #expect(candidates(.graph, "--env", "staging", other) == ["other"])
    }

    @Test func `quotes and backslashes in the words of a shell are read`() {
        let spaced = folder.write("waybill: 1\ngraphs: {two words: {chain: []}}\n", to: "a b's.yaml")
        #expect(candidates(.graph, "\"\(spaced)\"") == ["two words"])
        #expect(candidates(.graph, "'\(folder.path)/a b'\\''s.yaml'") == ["two words"])
        #expect(candidates(.graph, "\(folder.path)/a\\ b\\'s.yaml", prefix: "two\\ w") == ["two words"])
        #expect(candidates(.graph, "'\(spaced)", prefix: "\"two").isEmpty)
    }

    @Test func `a manifest with errors has the names of the rest`() {
        let broken = folder.write(
            """
            waybill: 1
            inputs: {a: {type: nonsense}, b: string}
            nonsense: 1
            graphs:
              main: {chain: [{call: missing}, {id: good, get: /}, {bad: 1}]}
              other: 1
            """,
            to: "broken.yaml"
        )
        #expect(candidates(.graph, broken).contains("main"))
        #expect(candidates(.step, broken).contains("good"))
        #expect(candidates(.input, broken).contains("b="))
    }

    @Test(arguments: ["", "- [", "waybill: 1", "waybill: 1\ngraphs: 3", "waybill: 1\ninclude: [missing.yaml]", "\u{0}"])
    func `what is not a manifest has no names`(text: String) {
        #expect(candidates(.graph, folder.write(text, to: "text.yaml")).isEmpty)
    }

    @Test func `what does not exist, or is not a file, has no names`() {
        #expect(candidates(.graph, folder.path + "/missing.yaml").isEmpty)
        #expect(candidates(.graph, "/dev/zero").isEmpty)
        #expect(candidates(.graph, "-").isEmpty)
    }

    @Test func `names that a line or a terminal would interpret are left out`() {
        let hostile = folder.write(
            #"""
            waybill: 1
            graphs:
              "a\nb": {chain: []}
              "a\tb": {chain: []}
              "a\eb": {chain: []}
              "a\u202eb": {chain: []}
              "": {chain: []}
              "$(touch x)": {chain: []}
            """#,
            to: "hostile.yaml"
        )
        #expect(candidates(.graph, hostile) == ["$(touch x)"])
    }

    @Test func `a word in the middle is completed with the words on both sides`() {
        let all = ["waybill", "run", "--graph", "n", "--env", "staging", manifest]
        let line = CommandWords(all, at: 3, prefix: "n", depth: 2, valueOptions: ["--graph", "--env"])
        #expect(line.arguments == [manifest])
        #expect(ManifestCompletions(line).candidates(for: .graph) == ["nightly"])
    }
}
