import WaybillJSON
import WaybillRuntime

/// What a run has seen of the operations of an OpenAPI document.
package struct ContractCoverage: Sendable, Equatable {
    /// The name of the service that is bound to the document.
    package var service: String
    /// The path of the document.
    package var document: String
    /// All operations of the document, in its order.
    package var operations: [Operation]

    /// Creates the coverage of a document; see the properties.
    package init(service: String, document: String, operations: [Operation]) {
        (self.service, self.document, self.operations) = (service, document, operations)
    }

    /// An operation of the document.
    package struct Operation: Sendable, Equatable {
        /// The method and the path: `GET /orders/{id}`.
        package var name: String
        /// The operationId, if there is one.
        package var id: String?
        /// Whether a response to it was received.
        package var isCalled: Bool { responses.contains(where: \.isSeen) }
        /// The responses that the document declares, and those that were received without being declared; empty if the
        /// operation was not called.
        package var responses: [Response]

        /// Creates an operation; see the properties.
        package init(name: String, id: String?, responses: [Response] = []) {
            (self.name, self.id, self.responses) = (name, id, responses)
        }
    }

    /// A status of an operation, with one of its media types.
    package struct Response: Sendable, Equatable {
        /// The status as the document declares it, such as `200`, `4XX` or `default`, or the one that was received without
        /// being declared.
        package var status: String
        /// The media type as the document declares it, or the one that was received; `nil` for a response without a body.
        package var mediaType: RedactedText?
        /// Whether the document declares the response.
        package var isDeclared: Bool
        /// Whether such a response was received.
        package var isSeen: Bool

        /// Creates a response; see the properties.
        package init(status: String, mediaType: RedactedText?, isDeclared: Bool, isSeen: Bool) {
            self.status = status
            self.mediaType = mediaType
            self.isDeclared = isDeclared
            self.isSeen = isSeen
        }

        /// Its status and media type: `200 application/json`.
        package var name: String { mediaType.map { "\(status) \($0)" } ?? status }

        fileprivate func isSame(as other: Response) -> Bool {
            status == other.status && mediaType == other.mediaType && isDeclared == other.isDeclared
        }
    }
}

extension ContractCoverage {
    /// The number of operations that were called.
    package var calledCount: Int { operations.count(where: \.isCalled) }

    /// The share of the operations that were called, in percent, rounded down; 100 for a document without operations.
    package var percent: Int { operations.isEmpty ? 100 : calledCount * 100 / operations.count }

    /// The operations that were not called.
    package var uncalled: [Operation] { operations.filter { !$0.isCalled } }

    private var responses: [Response] { operations.flatMap(\.responses) }

    /// The coverage in numbers: `3 of 5 operations called (60 %), 4 of 9 of their responses seen, 1 undeclared`.
    package var summary: String {
        let declared = responses.filter(\.isDeclared)
        let undeclared = responses.count { !$0.isDeclared }
        let count = operations.count == 1 ? "1 operation" : "\(operations.count) operations"
        return "\(calledCount) of \(count) called (\(percent) %)"
            + (declared.isEmpty
                ? "" : ", \(declared.count(where: \.isSeen)) of \(declared.count) of their responses seen")
            + (undeclared == 0 ? "" : ", \(undeclared) undeclared")
    }

    /// Combines the coverage of several runs, by document, in the order in which the documents occur.
    package static func combined(_ runs: [[ContractCoverage]]) -> [ContractCoverage] {
        var documents: [ContractCoverage] = []
        var indices: [CodePoints: Int] = [:]
        for coverage in runs.joined() {
            // The same file may be named from several folders.
            let key = CodePoints(FileContents.canonicalPath(coverage.document) ?? coverage.document)
            if let index = indices[key] {
                documents[index].add(coverage)
            } else {
                indices[key] = documents.count
                documents.append(coverage)
            }
        }
        return documents
    }

    private mutating func add(_ other: ContractCoverage) {
        if !service.split(separator: ", ").contains(Substring(other.service)) { service += ", \(other.service)" }
        var indices = Dictionary(operations.enumerated().map { (CodePoints($1.name), $0) }) { first, _ in first }
        for operation in other.operations {
            let index = indices[CodePoints(operation.name), default: operations.count]
            if index == operations.count {
                indices[CodePoints(operation.name)] = index
                operations.append(operation)
                continue
            }
            for response in operation.responses { operations[index].add(response) }
        }
    }
}

extension ContractCoverage.Operation {
    /// Adds a response, or that it was seen.
    package mutating func add(_ response: ContractCoverage.Response) {
        guard let index = responses.firstIndex(where: { $0.isSame(as: response) }) else {
            return responses.append(response)
        }
        responses[index].isSeen = responses[index].isSeen || response.isSeen
    }
}

// MARK: JSON

extension ContractCoverage: JSONStreamable {
    /// Writes `{service, document, operations, called, percent}`, with the operations as objects.
    package func addMembers(to object: inout JSONStream) {
        object.add("service", service)
        object.add("document", document)
        object.add("called", calledCount)
        object.add("percent", percent)
        object.add("operations", each: operations)
    }

    /// Reads the coverage from `run.json`; `nil` for anything else.
    init?(json: JSON) {
        guard let service = json["service"]?.string, let document = json["document"]?.string else { return nil }
        let operations = (json["operations"]?.array ?? []).compactMap(Operation.init(json:))
        self.init(service: service, document: document, operations: operations)
    }
}

extension ContractCoverage.Operation: JSONStreamable {
    /// Writes `{operation, id, called, responses}`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("operation", name)
        object.add("id", id)
        object.add("called", isCalled)
        if !responses.isEmpty { object.add("responses", each: responses) }
    }

    fileprivate init?(json: JSON) {
        guard let name = json["operation"]?.string else { return nil }
        let responses = (json["responses"]?.array ?? []).compactMap(ContractCoverage.Response.init(json:))
        self.init(name: name, id: json["id"]?.string, responses: responses)
    }
}

extension ContractCoverage.Response: JSONStreamable {
    /// Writes `{status, mediaType, declared, seen}`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("status", status)
        object.add("mediaType", mediaType)
        object.add("declared", isDeclared)
        object.add("seen", isSeen)
    }

    fileprivate init?(json: JSON) {
        guard let status = json["status"]?.string else { return nil }
        self.init(
            status: status,
            mediaType: json["mediaType"]?.redactedText,
            isDeclared: json["declared"] == true,
            isSeen: json["seen"] == true
        )
    }
}
