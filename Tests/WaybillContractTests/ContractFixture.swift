import Testing
import WaybillContract
import WaybillDiagnostics
import WaybillJSON

/// Reads documents that tests write as JSON.
enum ContractFixture {
    /// A document and other files by name, which it refers to.
    static func document(_ text: String, _ files: [String: String] = [:]) throws -> OpenAPIDocument {
        let root = try file(text)
        let others = try files.mapValues(file)
        return try OpenAPIDocument(root, at: "file:///api/openapi.json") {
            others[String($0.dropFirst("file:///api/".count))]
        }
    }

    /// The only operation of a document.
    ///
    /// - Parameters:
    ///   - operation: The members of the operation, without its responses.
    ///   - rest: Further members of the document.
    static func operation(
        _ operation: String,
        path: String = "/a",
        version: String = "3.1.0",
        _ rest: String = "",
        responses: String = #"{"200": {"description": "ok"}}"#
    ) throws -> WaybillContract.Operation {
        let document = try document(
            """
            {"openapi": "\(version)", \(rest.isEmpty ? "" : rest + ",")
             "paths": {"\(path)": {"post": {\(operation.isEmpty ? "" : operation + ",") "responses": \(responses)}}}}
            """
        )
        return try document.operation(try #require(document.operations.first))
    }

    private static func file(_ text: String) throws -> ContractFile {
        let value = try JSONParser().parse(Array(text.utf8))
        let source = SourceFile(name: "openapi.json", text: text)
        return ContractFile(value) { JSONLocations(of: $0, in: source, part: source.bytes.indices) }
    }
}
