package import WaybillContract
import WaybillDiagnostics
package import WaybillExpressions
package import WaybillJSON
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
        if let message = refusal(of: value.json, as: type) {
            throw EvaluationFailure(message: message, span: context.span)
        }
        let mediaType = type.isRange ? nil : type.fieldValue
        if type.isJSON || type.isRange && value.json.string == nil && value.json.fileName == nil {
            let text = JSONWriter().string(value.json)
            return EncodedBody(text, mediaType: mediaType ?? "application/json", isSecret: value.isSecret)
        }
        if type.isForm, let object = value.json.object {
            return EncodedBody(form(of: object) ?? "", mediaType: type.text, isSecret: value.isSecret)
        }
        if type.isMultipart, let object = value.json.object {
            return try multipart(object, isSecret: value.isSecret, in: context)
        }
        if let path = value.json.fileName {
            let file = NamedFile(path: Spanned(path, at: context.span), kind: .body).file(within: context.boundary)
            return EncodedBody(.file(file), mediaType: mediaType ?? MediaType.ofFile(named: path), isSecret: false)
        }
        if let bytes = value.json.bytes {
            return EncodedBody(.bytes(bytes), mediaType: mediaType, isSecret: value.isSecret)
        }
        let text = value.json.string ?? JSONWriter().string(value.json)
        return EncodedBody(text, mediaType: mediaType ?? "text/plain", isSecret: value.isSecret)
    }

    /// Returns why a value cannot be a body of a media type; `nil` if it can.
    package func refusal(of value: JSON, as type: MediaTypeName?) -> String? {
        let type = type ?? name
        if type.isJSON || type.isRange && value.string == nil || value.fileName != nil { return nil }
        if let object = value.object, type.isForm || type.isMultipart {
            return type.isForm && form(of: object) == nil ? "a field of the form cannot be written in its style" : nil
        }
        switch value {
        case .bytes, .string, .number, .bool: return nil
        case .null, .array, .object:
            return "a body of the media type '\(type.text)' cannot be \(value.kind.phrase): "
                + (type.isForm || type.isMultipart ? "expected an object" : "expected a string, or {file: PATH}")
        }
    }

    private func multipart(
        _ object: JSONObject,
        isSecret: Bool,
        in context: BodyContext
    ) throws(EvaluationFailure) -> EncodedBody {
        var writer = MultipartWriter()
        for (name, value) in object where value != .null {
            let field = fields[CodePoints(name)]
            for value in value.array ?? [value] {
                if let path = value.fileName, field?.isBinary ?? true {
                    let named = NamedFile(path: Spanned(path, at: context.span), kind: .body)
                    writer.add(
                        [.file(named.file(within: context.boundary))],
                        name: name,
                        filename: FileContents.name(of: path),
                        contentType: field?.contentType(usual: MediaType.ofFile(named: path))
                            ?? MediaType.ofFile(named: path)
                    )
                    continue
                }
                let isText = value.object == nil && value.array == nil
                let usual = isText ? nil : "application/json"
                let type = field?.contentType(usual: usual) ?? usual
                let isJSON = type.map { MediaTypeName($0).isJSON } ?? false
                let text = isJSON ? nil : value.string
                let bytes = value.bytes ?? Array((text ?? JSONWriter().string(value)).utf8)
                writer.add([.bytes(bytes)], name: name, contentType: type)
            }
        }
        return EncodedBody(writer.finished(), boundary: writer.boundary, isSecret: isSecret)
    }
}
