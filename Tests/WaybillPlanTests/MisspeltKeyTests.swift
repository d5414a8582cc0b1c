import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

/// A misspelt key causes one diagnostic, at the key: nothing is reported as missing that it was meant to be.
@Suite(.timeLimit(.minutes(5))) struct MisspeltKeyTests {
    private let folder = TemporaryFolder()

    init() { folder.write(Self.document, to: "shop.json") }

    private static let manifest = """
        waybill: 1
        secrets: {token: {env: T}}
        services:
          shop:
            openapi: shop.json
            security: {token: {bearer: "${secrets.token}"}}
        endpoints:
          fine: {operation: shop.getOrder, headers: {A: b}}
        graphs:
          main:
            chain:
              - {id: one, call: shop.getOrder, with: {id: a}}
              - {id: two, call: fine, with: {id: "${steps.one.data.id}"}}
              - {call: shop.addOrder, with: {body: {id: 1}}, contract: {request: off}}
              - {forEach: {in: [1, 2], as: n}, onFailure: collect, call: fine, with: {id: "${n}"}}
              - id: rows
                get: /rows
                service: shop
                write: {to: rows.sqlite, table: rows, key: [id], aggregate: {total: {sum: item.n}}}
              - {get: /rows, service: shop, write: {to: rows.data, format: csv}}
              - {id: file, get: /file, service: shop, download: {to: file.bin}}
              - values: {total: "${steps.rows.written.total}", file: "${steps.file.downloaded.file}"}
        """

    private static let document = #"""
        {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "http://127.0.0.1:9"}],
         "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
         "paths": {
          "/orders/{id}": {"get": {"operationId": "getOrder", "security": [{"token": []}], "responses": {"200": {"description": ""}},
           "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}},
          "/orders": {"post": {"operationId": "addOrder", "responses": {"201": {"description": ""}}, "requestBody": {"required": true,
           "content": {"application/json": {"schema": {"properties": {"id": {"type": "string"}}}}}}}}}}
        """#

    private func diagnostics(_ text: String) -> [Diagnostic] {
        let loaded = ManifestLoader().load(folder.write(text, to: "manifest.yaml"))
        return loaded.diagnostics + (loaded.manifest.map { PlanBuilder.check($0).diagnostics } ?? [])
    }

    @Test func `the manifest is valid`() {
        let found = diagnostics(Self.manifest)
        #expect(found.isEmpty, "\(HumanRenderer().render(found))")
    }

    @Test(
        arguments: [
            "secrets", "services", "openapi", "security", "bearer", "operation", "contract", "request", "forEach",
            "write",
            "table", "key", "to", "format", "aggregate", "download", "with", "body", "token",
        ]
    )
    func `a misspelt key is the only diagnostic`(key: String) throws {
        let misspelt = key.dropLast(2) + String(key.suffix(2).reversed())
        // Of several, the first is misspelt; of 'token', the security scheme.
        let range = try #require(Self.manifest.ranges(of: key == "token" ? "token: {bearer" : "\(key):").first)
        let text =
            Self.manifest[..<range.lowerBound] + misspelt + Self.manifest[range.lowerBound...].dropFirst(key.count)
        let found = diagnostics(String(text))
        let ids = ["body": "unknown-input", "token": "unknown-name"]
        #expect(found.map(\.id.name) == [ids[key] ?? "unknown-key"], "\(HumanRenderer().render(found))")
        #expect(found.first?.headline.contains("'\(misspelt)'") == true)
        #expect(found.first?.primary?.text == "did you mean '\(key)'?")
    }
}
