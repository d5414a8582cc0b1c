import OrderedCollections
import WaybillContract
package import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillRuntime

/// A manifest to start with for a service that an OpenAPI document describes: the service, its security schemes as secrets,
/// and one step for each GET operation that requires no input.
package struct BoundManifest: Sendable {
    /// The manifest.
    package let text: String
    /// The warnings about the document, or the errors in it; `text` is then empty.
    package let diagnostics: [Diagnostic]

    /// Writes the manifest for a document.
    ///
    /// - Parameters:
    ///   - document: The path of the document.
    ///   - file: The path of the manifest, in whose folder or below the document must be.
    ///   - url: The base URL of the service; `nil` for that of the document.
    ///   - firstLine: A comment for the start of the manifest.
    package init(for document: String, at file: String, url: String?, firstLine: String) {
        let folder = FileContents.resolvedPath(FileContents.folder(of: file))
        let target = FileContents.resolvedPath(document)
        guard target.utf8.starts(with: "\(folder)/".utf8) else {
            text = ""
            diagnostics = [
                Diagnostic(
                    "outside-folder",
                    "the document \(document) is not in the folder of the manifest",
                    at: nil,
                    help: [
                        "Write the manifest beside it: 'waybill init \(FileContents.folder(of: document)) --openapi …'."
                    ]
                )
            ]
            return
        }
        let path = String(target.unicodeScalars.dropFirst(folder.unicodeScalars.count + 1))
        // In a manifest, '${' starts an expression.
        if path.contains("${") {
            text = ""
            diagnostics = [Diagnostic("invalid-value", "the name of the document must not contain '${'", at: nil)]
            return
        }
        // The document is read as it will be for the manifest.
        let bare = SourceFile(name: file, text: "waybill: 1\nservices: {api: {openapi: \(Self.scalar(path))}}\n")
        let pipeline = Pipeline()
        let (checked, found) = pipeline.contracts(pipeline.load(bare))
        guard let contract = checked?.contracts["api"] else {
            (text, diagnostics) = ("", found)
            return
        }
        var writer = Writer(contract.document, path: path, url: url)
        text = firstLine + "\n" + writer.text(of: file)
        diagnostics = []
    }

    /// Returns a string as a scalar of YAML, with quotes unless it has only characters without a meaning.
    fileprivate static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { $0.isIdentifier || ".-/".utf8.contains($0) } && text.utf8.first?.isLetter == true
            && !["true", "false", "null", "yes", "no", "on", "off"].contains(text.lowercased())
        if isPlain { return text }
        // In quotes, YAML treats some characters outside ASCII as line breaks, and others are not permitted.
        return JSONWriter().string(.string(text)).unicodeScalars.map { scalar in
            let isSafe = scalar.value >= 0x20 && scalar.value < 0x7F || scalar.properties.isAlphabetic
            if isSafe { return String(scalar) }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
        }.joined()
    }

    /// Returns a string in which everything that an id cannot contain is replaced.
    fileprivate static func identifier(_ text: String, separator: String) -> String {
        var words: [String] = []
        for word in text.utf8.split(whereSeparator: { !$0.isIdentifier }) {
            words.append(String(decoding: word, as: UTF8.self))
        }
        let name = words.joined(separator: separator)
        return name.utf8.first?.isLetter == true ? name : "_\(name)"
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "_")
    }
    fileprivate var isIdentifier: Bool { isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

/// Writes the parts of the manifest.
private struct Writer {
    let document: OpenAPIDocument
    let path: String
    let url: String?
    let service: String
    private var ids: Set<String> = []

    init(_ document: OpenAPIDocument, path: String, url: String?) {
        (self.document, self.path, self.url) = (document, path, url)
        let title = BoundManifest.identifier(String(document.title.lowercased().prefix(60)), separator: "-")
        service = title == "_" ? "api" : title
        schemes = Self.schemes(of: document)
    }

    mutating func text(of file: String) -> String {
        let command = PrintableText.shellWord(file)
        let export = variables.isEmpty ? "" : "#     export \(variables.map { "\($0)=…" }.joined(separator: " "))\n"
        let steps = steps()
        let run =
            steps == nil
            ? "" : "\(export)#     waybill run \(command) --mock        # with responses from the document\n"
        return """
            # The service of \(PrintableText.oneLine(path)), which says what its operations take and return. Try this:
            #
            \(run)#     waybill operations \(command)        # all operations and their inputs
            waybill: 1

            """ + secrets + services + (steps ?? suggestion)
    }

    /// The security schemes with the names of their secrets, and the value under `security`.
    private let schemes: [(name: String, secrets: [String], value: String)]

    private static func schemes(of document: OpenAPIDocument) -> [(name: String, secrets: [String], value: String)] {
        var used: Set<String> = []
        /// Returns a name that is not used yet, also not in capital letters, as those of environment variables.
        func unique(_ name: String) -> String {
            var (result, number) = (name, 2)
            while !used.insert(result.uppercased()).inserted { (result, number) = ("\(name)_\(number)", number + 1) }
            return result
        }
        return document.securitySchemes.compactMap { name, scheme in
            let base = BoundManifest.identifier(name, separator: "_")
            func pair(_ key: String) -> (String, [String], String) {
                let secrets = [unique("\(base)_username"), unique("\(base)_password")]
                let values = zip(["username", "password"], secrets).map { "\($0): \"${secrets.\($1)}\"" }
                return (name, secrets, "{\(key): {\(values.joined(separator: ", "))}}")
            }
            switch scheme {
            case .http("basic"): return pair("basic")
            case .http("digest"): return pair("digest")
            case .http("bearer"), .token:
                let secret = unique(base)
                return (name, [secret], "{bearer: \"${secrets.\(secret)}\"}")
            case .apiKey(let part, let key):
                guard ["header", "query", "cookie"].contains(part), !key.isEmpty else { return nil }
                let secret = unique(base)
                let value = "{in: \(part), name: \(BoundManifest.scalar(key)), value: \"${secrets.\(secret)}\"}"
                return (name, [secret], "{apiKey: \(value)}")
            case .http, .other: return nil
            }
        }
    }

    /// The environment variables of the secrets.
    private var variables: [String] {
        schemes.flatMap(\.secrets).map { "\(service)_\($0)".replacing("-", with: "_").uppercased() }
    }

    private var secrets: String {
        let names = schemes.flatMap(\.secrets)
        if names.isEmpty { return "" }
        let lines = zip(names, variables).map { "  \($0): {env: \($1)}\n" }
        return "\nsecrets:                     # from the environment, never written anywhere\n" + lines.joined()
    }

    private var services: String {
        var text = "\nservices:\n  \(service):\n    openapi: \(BoundManifest.scalar(path))\n"
        if let url {
            text += "    baseURL: \(JSONWriter().string(.string(url.replacing("${", with: "$${"))))\n"
        } else if document.server == nil {
            let address = JSONWriter().string(.string(FirstManifest.usualURL + (document.serverPath ?? "")))
            text += "    baseURL: \(address)     # the document has no absolute address\n"
        }
        if !schemes.isEmpty {
            text += "    security:                # by the names of the document's security schemes\n"
            for scheme in schemes { text += "      \(BoundManifest.scalar(scheme.name)): \(scheme.value)\n" }
        }
        return text
    }

    /// Returns the graph with the steps; `nil` if no operation can be called without inputs.
    private mutating func steps() -> String? {
        let steps = document.operations.filter { $0.method == "GET" }.compactMap { entry -> String? in
            guard let operation = try? document.operation(entry), operation.requiredInputs.isEmpty,
                operation.mayPass
            else { return nil }
            return name(of: entry)
        }
        if steps.isEmpty { return nil }
        return """

            graphs:
              main:
                onFailure: collect           # run all steps, even if one fails
                batch:                       # at the same time; the steps of a 'chain' run one after another
            \(steps.map { step(calling: $0) }.joined())
            """
    }

    /// A comment that shows how to call the first operation that requires inputs.
    private var suggestion: String {
        let operation = document.operations.lazy.compactMap { try? document.operation($0) }.first
        guard let operation, let name = name(of: operation.entry) else { return "" }
        let inputs = operation.requiredInputs.map { "\(BoundManifest.scalar($0)): …" }.joined(separator: ", ")
        return """

            # No GET operation can be called without inputs. A step that calls an operation is written like this:
            #
            # graphs:
            #   main:
            #     chain:
            #       - call: \(BoundManifest.scalar(name))
            #         with: {\(inputs.isEmpty ? "limit: 10" : inputs)}

            """
    }

    /// The name of an operation for `call`. An operationId that several operations have names none of them.
    private func name(of entry: OpenAPIDocument.Entry) -> String? {
        let names = [entry.id, entry.methodAndPath].compactMap(\.self)
        return names.first { document.entries(named: $0).count == 1 }.map { "\(service).\($0)" }
    }

    /// Returns a step that calls an operation. It has an id of its own if the name of the operation has none.
    private mutating func step(calling name: String) -> String {
        let isRequest = name.contains(" /")
        let last =
            isRequest ? name.dropFirst(service.count + 1).lowercased() : String(name.split(separator: ".").last ?? "")
        let id = BoundManifest.identifier(last, separator: "-")
        if id == last, ids.insert(id).inserted { return "      - call: \(BoundManifest.scalar(name))\n" }
        var unique = id
        var number = 2
        while !ids.insert(unique).inserted { (unique, number) = ("\(id)-\(number)", number + 1) }
        return "      - {id: \(unique), call: \(BoundManifest.scalar(name))}\n"
    }
}

extension WaybillContract.Operation {
    /// Whether the document declares a response with a status that steps expect.
    fileprivate var mayPass: Bool {
        responses.isEmpty || responses.contains { $0.status.isSuccess || $0.status == .default }
    }
}
