import OrderedCollections
import WaybillContract
package import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
package import WaybillPlan

/// The operations that the services of a manifest have, with their inputs, for `waybill operations`.
package struct OperationList: Sendable {
    /// An operation, or why it cannot be called.
    fileprivate struct Line {
        let service: String
        let entry: OpenAPIDocument.Entry
        let inputs: [(name: String, part: String, type: String, isRequired: Bool)]
        let error: String?

        /// The name for `call`.
        var name: String { "\(service).\(entry.name)" }
    }

    private let lines: [Line]
    /// Why the operations of some paths are not listed.
    package let diagnostics: [Diagnostic]

    /// Lists operations.
    ///
    /// - Parameter word: A part of the names, methods, paths or summaries of the operations to list, in any case; `nil` for
    ///   all.
    package init(of checked: ResolvedManifest, matching word: String?) {
        diagnostics = checked.contracts.values.flatMap { contract in
            contract.document.unreadPaths.map { path, error in
                var diagnostic = contract.diagnostic(for: error, usedAt: contract.name.span)
                diagnostic.severity = .warning
                diagnostic.help.append("The operations of '\(path)' are not listed.")
                return diagnostic
            }
        }
        lines = checked.contracts.flatMap { service, contract in
            contract.document.operations.filter { $0.matches(word) }.map { entry in
                do throws(ContractError) {
                    return Line(service, try contract.document.operation(entry))
                } catch {
                    let location = contract.span(of: error.location).map { " (\($0))" } ?? ""
                    return Line(service: service, entry: entry, inputs: [], error: error.message + location)
                }
            }
        }
    }

    /// Whether the list is empty.
    package var isEmpty: Bool { lines.isEmpty }

    /// The list for people: the name of each operation, its method, path and summary, and a line for each input.
    package var text: String {
        lines.map { line in
            let summary = line.entry.summary.map { "  \($0)" } ?? ""
            var text = "\(line.name)  \(line.entry.methodAndPath)\(summary)\n"
            if let error = line.error { text += "    cannot be called: \(error)\n" }
            for input in line.inputs {
                text += "    \(input.name)  \(input.part), \(input.type)\(input.isRequired ? ", required" : "")\n"
            }
            return PrintableText.lines(text)
        }.joined()
    }

    /// The list as a JSON array.
    package var jsonDocument: String {
        let list = lines.map { line -> JSON in
            var object = JSONObject([
                ("name", .string(line.name)), ("method", .string(line.entry.method)),
                ("path", .string(line.entry.path)),
            ])
            object["summary"] = line.entry.summary.map(JSON.string)
            object["error"] = line.error.map(JSON.string)
            object["inputs"] = .array(
                line.inputs.map { input in
                    [
                        "name": .string(input.name), "in": .string(input.part), "type": .string(input.type),
                        "required": .bool(input.isRequired),
                    ]
                }
            )
            return .object(object)
        }
        return JSONWriter(layout: .pretty).string(.array(list)) + "\n"
    }
}

extension OperationList.Line {
    fileprivate init(_ service: String, _ operation: WaybillContract.Operation) {
        var inputs = zip(operation.inputNames, operation.parameters).map { name, parameter in
            (
                name: name, part: parameter.part.rawValue, type: Self.type(of: parameter.schemaDocument),
                isRequired: parameter.isRequired
            )
        }
        if let body = operation.body {
            let types = body.media.map(\.name.text).joined(separator: " or ")
            inputs.append((name: "body", part: "body", type: types, isRequired: body.isRequired))
        }
        self.init(service: service, entry: operation.entry, inputs: inputs, error: nil)
    }

    /// The type of a schema in words.
    private static func type(of schema: JSON) -> String {
        let types = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string].compactMap { $0 }
        return types.isEmpty ? "any" : types.joined(separator: " or ")
    }
}

extension OpenAPIDocument.Entry {
    /// Whether a word occurs in the name, the method and path or the summary, in any case.
    fileprivate func matches(_ word: String?) -> Bool {
        guard let word = word?.lowercased() else { return true }
        return [name, methodAndPath, summary ?? ""].contains { $0.lowercased().contains(word) }
    }
}
