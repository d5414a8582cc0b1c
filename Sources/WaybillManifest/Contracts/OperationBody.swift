package import WaybillContract
import WaybillDiagnostics
package import WaybillExpressions
import WaybillJSON
import WaybillRuntime

extension ContractMedia {
    /// Returns the body of a request for a value of the input `body`: as JSON, form, multipart or text, as the media type
    /// requires. For text and all other types, `{file: PATH}` is the content of a file.
    ///
    /// - Parameter type: The media type that the request chooses; `nil` for that of the document.
    package func encoded(
        _ value: ScopeValue,
        as type: MediaTypeName?,
        in context: BodyContext
    ) throws(EvaluationFailure) -> EncodedBody {
        let type = type ?? name
        let mediaType = type.isRange ? nil : type.text
        if type.isJSON || type.isRange && value.json.string == nil && value.json.fileName == nil {
            let text = JSONWriter().string(value.json)
            return EncodedBody(text, mediaType: mediaType ?? "application/json", isSecret: value.isSecret)
        }
        if type.isForm, let object = value.json.object {
            guard let text = form(of: object) else {
                throw EvaluationFailure(
                    message: "a field of the form cannot be written in its style",
                    span: context.span
                )
            }
            return EncodedBody(text, mediaType: type.text, isSecret: value.isSecret)
        }
        if type.isMultipart, let object = value.json.object {
            return try multipart(object, isSecret: value.isSecret, in: context)
        }
        if let path = value.json.fileName {
            let file = NamedFile(path: Spanned(path, at: context.span), kind: .body).file(within: context.boundary)
            return EncodedBody(.file(file), mediaType: mediaType ?? MediaType.ofFile(named: path), isSecret: false)
        }
        switch value.json {
        case .bytes(let bytes):
            return EncodedBody(.bytes(bytes), mediaType: mediaType, isSecret: value.isSecret)
        case .string, .number, .bool:
            let text = value.json.string ?? JSONWriter().string(value.json)
            return EncodedBody(text, mediaType: mediaType ?? "text/plain", isSecret: value.isSecret)
        case .null, .array, .object:
            throw EvaluationFailure(
                message: "a body of the media type '\(type.text)' cannot be \(value.json.kind.phrase): "
                    + (type.isForm || type.isMultipart ? "expected an object" : "expected a string, or {file: PATH}"),
                span: context.span
            )
        }
    }

    private func multipart(
        _ object: JSONObject,
        isSecret: Bool,
        in context: BodyContext
    ) throws(EvaluationFailure) -> EncodedBody {
        var writer = MultipartWriter()
        for (name, value) in object where value != .null {
            let field = fields[name]
            for value in value.array ?? [value] {
                if let path = value.fileName, field?.isBinary ?? true {
                    let named = NamedFile(path: Spanned(path, at: context.span), kind: .body)
                    writer.add(
                        [.file(named.file(within: context.boundary))],
                        name: name,
                        filename: FileContents.name(of: path),
                        contentType: field?.contentType ?? MediaType.ofFile(named: path)
                    )
                    continue
                }
                let isText = value.object == nil && value.array == nil
                let usual = isText ? nil : "application/json"
                let bytes = value.bytes ?? Array((value.string ?? JSONWriter().string(value)).utf8)
                writer.add([.bytes(bytes)], name: name, contentType: field?.contentType ?? usual)
            }
        }
        return EncodedBody(writer.finished(), boundary: writer.boundary, isSecret: isSecret)
    }
}
