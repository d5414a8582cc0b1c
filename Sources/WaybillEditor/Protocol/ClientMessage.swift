package import WaybillJSON

/// A message of a client (JSON-RPC 2.0).
package enum ClientMessage {
    /// A call that needs a response.
    case request(id: JSON, method: String, parameters: JSON)
    /// A call without a response.
    case notification(method: String, parameters: JSON)
    /// The response to a request of the server.
    case response

    /// Reads a message from its JSON.
    static func reading(_ json: JSON) -> MessageReader.Result {
        guard json.object != nil, json["jsonrpc"]?.string == "2.0" else {
            return .invalid(ResponseError(.invalidRequest, "a message is an object with 'jsonrpc': '2.0'"))
        }
        let parameters = json["params"] ?? .null
        guard let method = json["method"] else {
            let isResponse = json["id"] != nil && (json["result"] != nil || json["error"] != nil)
            if isResponse { return .message(.response) }
            return .invalid(ResponseError(.invalidRequest, "a message needs a 'method'"))
        }
        guard let method = method.string else {
            return .invalid(ResponseError(.invalidRequest, "'method' is a string"))
        }
        guard let id = json["id"] else { return .message(.notification(method: method, parameters: parameters)) }
        guard id.string != nil || id.number?.int != nil else {
            return .invalid(ResponseError(.invalidRequest, "'id' is an integer or a string"))
        }
        return .message(.request(id: id, method: method, parameters: parameters))
    }
}

/// Why a request has no result.
package struct ResponseError: Error, Equatable {
    /// The error codes of JSON-RPC and LSP.
    package enum Code: Int, Sendable {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
        case serverNotInitialized = -32002
        /// A request is valid, but cannot be fulfilled: the new name of a rename is used already.
        case requestFailed = -32803
        case requestCancelled = -32800
        /// The server cannot handle the request now.
        case serverBusy = -32000
    }

    /// The code that clients know.
    package let code: Code
    /// The reason, for people.
    package let message: String

    /// Creates an error; see the properties.
    package init(_ code: Code, _ message: String) {
        (self.code, self.message) = (code, message)
    }
}

/// The messages of the server.
package enum ServerMessage {
    /// Returns the response with the result of a request.
    package static func result(_ result: JSON, of id: JSON) -> JSON {
        ["jsonrpc": "2.0", "id": id, "result": result]
    }

    /// Returns the response with the error of a request.
    ///
    /// - Parameter id: The id of the request; null if it could not be read.
    package static func failure(_ error: ResponseError, of id: JSON = .null) -> JSON {
        [
            "jsonrpc": "2.0", "id": id,
            "error": ["code": .number(JSONNumber(error.code.rawValue)), "message": .string(error.message)],
        ]
    }

    /// Returns a call without a response.
    package static func notification(_ method: String, _ parameters: JSON) -> JSON {
        ["jsonrpc": "2.0", "method": .string(method), "params": parameters]
    }

    static func request(_ method: String, _ parameters: JSON, id: String) -> JSON {
        ["jsonrpc": "2.0", "id": .string(id), "method": .string(method), "params": parameters]
    }
}
