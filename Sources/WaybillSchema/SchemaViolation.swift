package import WaybillJSON

/// A location where an instance violates its schema, with a message that explains how to fix it.
package struct SchemaViolation: Sendable, Equatable {
    /// The location of the invalid value, or of the member whose name is invalid.
    package let instanceLocation: JSONPointer
    /// Whether the name of the member at `instanceLocation` is invalid, not its value.
    package let concernsName: Bool
    /// The path of evaluation through the schema, including references.
    package let keywordLocation: JSONPointer
    /// The keyword's location by the address of its schema resource, as a URI whose fragment is a JSON Pointer.
    package let absoluteKeywordLocation: String
    /// The keyword that failed; for a `false` schema, the keyword that contains it.
    package let keyword: String
    /// The error message, as a predicate of the value: “must be a string, but is a number”. If the name is invalid, a
    /// whole clause.
    package internal(set) var message: String
    /// The same for programs.
    package internal(set) var detail: Detail
    /// The allowed name or value that was probably meant.
    package internal(set) var suggestion: String?
    /// The `x-…` members of the failing schema, overridden by those of the references that led to it.
    package let annotation: JSONObject?

    /// The kind of violation, with the data for fixing it.
    package enum Detail: Sendable, Equatable {
        /// A member's name is not known at this location.
        case unknownName(String, known: [String])
        /// An object is missing a member. If there are several names, any of them is sufficient.
        case missingName([String])
        /// Several members are present of which at most one is allowed.
        case conflictingNames([String])
        /// The value has a type other than the expected ones; `booleans` are the booleans that would be valid.
        case wrongType(expected: [SchemaType], found: SchemaType, booleans: [Bool])
        /// The value is not among the allowed ones.
        case notAllowedValue(allowed: [JSON])
        /// No value is allowed here.
        case notAllowed
        /// A string does not have the required format.
        case wrongFormat(String)
        /// Any other keyword: its name is sufficient.
        case other
    }
}

extension SchemaViolation {
    /// The maximum length of a string that a sentence quotes. It is not cut, because a part of a secret is not recognised.
    private static let longestQuotation = 80
    /// The maximum length of the location of a value, which may have the names of a server.
    private static let longestLocation = 200

    /// The violation as a sentence about the data, with the scalar that was found.
    package func sentence(in data: JSON) -> String { sentence + found(in: data) }

    /// The end of a sentence, with the scalar that was found; empty if that is not a scalar, or in the sentence.
    package func found(in value: JSON) -> String {
        guard !concernsName, let found = instanceLocation.resolve(in: value) else { return "" }
        let text: String
        switch found {
        case .string(let string):
            let isShort = string.utf8.count <= Self.longestQuotation
            text = isShort ? "'\(string)'" : "a string of \(string.unicodeScalars.count) characters"
        case .number(let number): text = Wording.short(number)
        case .bool(let bool): text = "\(bool)"
        case .null, .bytes, .array, .object: return ""
        }
        if case .wrongType(let expected, _, _) = detail {
            // The message has a Boolean value, and a number where an integer is expected.
            let isInMessage = found.bool != nil || found.number != nil && expected.contains(.integer)
            return isInMessage ? "" : ": \(text)"
        }
        return message.contains(", but ") ? "" : ", but is \(text)"
    }

    /// The violation as a sentence about a value with a name.
    package func sentence(on subject: String) -> String {
        if case .unknownName(let name, _) = detail, instanceLocation.tokens.count == 1 {
            return "\(subject) has \(Self.unknownKey(name))\(meant)"
        }
        return instanceLocation.tokens.isEmpty ? "\(subject) \(message)" : "\(subject): \(sentence)"
    }

    /// The violation as a sentence about the data.
    package var sentence: String {
        if case .unknownName(let name, _) = detail, !instanceLocation.tokens.isEmpty {
            let parent = JSONPointer(instanceLocation.tokens.dropLast()).description.excerpt(Self.longestLocation)
            return "\(parent.isEmpty ? "the data" : "the value at \(parent)") has \(Self.unknownKey(name))\(meant)"
        }
        let location = instanceLocation.description.excerpt(Self.longestLocation)
        return "\(location.isEmpty ? "the data" : "the value at \(location)") \(message)"
    }

    private static func unknownKey(_ name: String) -> String {
        let isShort = name.utf8.count <= longestQuotation
        return isShort ? "the unknown key '\(name)'" : "an unknown key of \(name.unicodeScalars.count) characters"
    }

    private var meant: String { suggestion.map { ": did you mean '\($0)'?" } ?? "" }
}
