import OrderedCollections
package import WaybillContract
package import WaybillDiagnostics
import WaybillJSON
import WaybillSchema

/// An operation of the document of a service, as an endpoint of a manifest.
package final class BoundOperation: Sendable {
    /// The name of the service.
    package let service: String
    /// The document of the service.
    package let contract: Contract
    /// The operation in the document.
    package let operation: Operation

    /// Binds an operation to a service.
    package init(_ operation: Operation, of contract: Contract, for service: String) {
        self.operation = operation
        self.contract = contract
        self.service = service
    }

    /// The locations of the inputs in the document.
    package var inputLocations: [ContractLocation] {
        operation.parameters.map(\.location) + [operation.body?.location].compactMap { $0 }
    }

    /// Where the document declares the operation.
    package var span: SourceSpan? { contract.span(of: operation.entry.location) }

    /// Returns the endpoint that calls the operation.
    ///
    /// - Parameters:
    ///   - span: Where the manifest names the operation.
    ///   - settings: The settings that the document brings.
    ///   - request: What an endpoint of the manifest adds.
    package func endpoint(
        at span: SourceSpan,
        settings: Settings,
        refinedBy request: RequestDefinition?,
        level: Level
    ) -> Endpoint {
        Endpoint(
            inputs: inputs,
            request: RequestDefinition(calling: self, at: span, settings: settings, refinedBy: request, level: level)
        )
    }

    /// The inputs of a call: the parameters, and `body`. Whether they are given and valid is checked for each request.
    private var inputs: Definitions<InputDeclaration> {
        var inputs: Definitions<InputDeclaration> = [:]
        func add(_ name: String, _ document: JSON, _ location: ContractLocation, _ defaultValue: JSON?) {
            guard let span = contract.span(of: location) else { return }
            inputs[name] = Definition(
                name: Spanned(name, at: span),
                value: InputDeclaration(
                    schema: .anything,
                    document: document,
                    types: [],
                    defaultValue: defaultValue,
                    span: span,
                    isOptional: true
                )
            )
        }
        for (name, parameter) in zip(operation.inputNames, operation.parameters) {
            add(name, parameter.schemaDocument, parameter.location, parameter.defaultValue)
        }
        if let body = operation.body { add("body", true, body.location, nil) }
        return inputs
    }

    /// Returns the mock server's response: the example of the first response with a 2xx status, or of the first status that a
    /// step expects, if the document declares it.
    package func mockExample(expecting expected: [StatusPattern] = []) -> MockExample {
        var response = operation.responses.first(where: \.status.isSuccess) ?? operation.responses.first
        var status =
            switch response?.status {
            case .code(let code): code
            case .range(let digit): digit * 100
            case .default, nil: 200
            }
        for case .code(let code) in expected {
            guard let declared = operation.response(for: code) else { continue }
            (response, status) = (declared, code)
            break
        }
        let media = response?.media?.first(where: \.name.isJSON) ?? response?.media?.first
        let type = media?.name.example
        return MockExample(
            status: status,
            headers: (type.map { [(name: "Content-Type", value: $0.fieldValue)] } ?? [])
                + (response?.exampleFields ?? []),
            // A string is sent as it is.
            body: media.flatMap { media in
                if type?.isJSON == true { return .string(JSONWriter().string(media.example ?? [:])) }
                // Only JSON can be made of other values.
                return media.example.flatMap { $0.object == nil && $0.array == nil ? $0 : nil }
            },
            delay: .zero,
            span: contract.name.span
        )
    }
}
