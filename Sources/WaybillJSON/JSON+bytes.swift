extension JSON {
    /// The value as a document, in which all bytes are strings in Base64.
    package var bytesAsBase64: JSON {
        // Most values have no bytes, and are not copied.
        guard containsBytes else { return self }
        return switch self {
        case .bytes(let bytes): .string(Base64.encode(bytes))
        case .array(let elements): .array(elements.map(\.bytesAsBase64))
        case .object(let object): .object(object.mapValues(\.bytesAsBase64))
        case .null, .bool, .number, .string: self
        }
    }

    /// The value with all bytes marked, so that `init(markingBytes:)` restores it.
    ///
    /// Bytes become `{"$bytes": BASE64}`. An object that only looks like that becomes `{"$object": OBJECT}`.
    package var markingBytes: JSON {
        // Most values have no bytes, and are not copied.
        needsMarks ? marked : self
    }

    private var marked: JSON {
        switch self {
        case .bytes(let bytes): return [Self.bytesMark: .string(Base64.encode(bytes))]
        case .array(let elements): return .array(elements.map(\.marked))
        case .object(let object):
            let marked = JSON.object(object.mapValues(\.marked))
            return object.markedContent == nil ? marked : [Self.objectMark: marked]
        case .null, .bool, .number, .string: return self
        }
    }

    /// Restores the value that `markingBytes` encoded.
    package init(markingBytes json: JSON) {
        switch json {
        case .array(let elements): self = .array(elements.map(JSON.init(markingBytes:)))
        case .object(let object):
            switch object.markedContent {
            case (Self.bytesMark, .string(let text))?: self = Base64.decode(text).map(JSON.bytes) ?? json
            case (Self.objectMark, .object(let inside))?:
                self = .object(inside.mapValues(JSON.init(markingBytes:)))
            default: self = .object(object.mapValues(JSON.init(markingBytes:)))
            }
        case .null, .bool, .number, .string, .bytes: self = json
        }
    }

    private var needsMarks: Bool {
        switch self {
        case .bytes: true
        case .array(let elements): elements.contains { $0.needsMarks }
        case .object(let object): object.markedContent != nil || object.contains { $0.value.needsMarks }
        case .null, .bool, .number, .string: false
        }
    }

    fileprivate static let bytesMark = "$bytes"
    fileprivate static let objectMark = "$object"

    private var containsBytes: Bool {
        switch self {
        case .bytes: true
        case .array(let elements): elements.contains { $0.containsBytes }
        case .object(let object): object.contains { $0.value.containsBytes }
        case .null, .bool, .number, .string: false
        }
    }
}

extension JSONObject {
    /// The only member, if its name is one of those that mark bytes.
    fileprivate var markedContent: (name: String, value: JSON)? {
        guard count == 1, let member = first(where: { _ in true }),
            member.name == JSON.bytesMark || member.name == JSON.objectMark
        else { return nil }
        return (member.name, member.value)
    }
}
