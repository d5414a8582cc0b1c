package import WaybillJSON

/// One place where an instance does not follow its schema, told so that a person can mend it.
package struct SchemaViolation: Sendable, Equatable {
    /// The value at fault, or the member whose name is at fault.
    package let instanceLocation: JSONPointer
    /// Whether the name of the member at `instanceLocation` is at fault rather than its value.
    package let concernsName: Bool
    /// The way that evaluation took through the schema, references included.
    package let keywordLocation: JSONPointer
    /// The keyword's place by the address of its schema resource, as a URI with a JSON Pointer for its fragment.
    package let absoluteKeywordLocation: String
    /// The keyword that failed; for a `false` schema the keyword that holds it.
    package let keyword: String
    /// What is wrong, as a predicate of the value: “must be a string, but is a number”; where the name is at fault a whole
    /// clause.
    package let message: String
    /// The same for programs.
    package let detail: Detail
    /// Which of the names or values that are allowed was probably meant.
    package internal(set) var suggestion: String?
    /// The `x-…` members beside the failing keyword and, over them, those of the references that led there.
    package let annotation: JSONObject?

    /// What kind of fault it is, with what mending it needs.
    package enum Detail: Sendable, Equatable {
        /// A member's name is none of those known at this place.
        case unknownName(String, known: [String])
        /// An object lacks a member. All names that would do are given; there are several where one of them is enough.
        case missingName([String])
        /// Members were given of which at most one may be.
        case conflictingNames([String])
        /// The value is of another type than those expected; of the booleans these would do.
        case wrongType(expected: [SchemaType], found: SchemaType, booleans: [Bool])
        /// The value is none of those that are allowed.
        case notAllowedValue(allowed: [JSON])
        /// Nothing may stand here.
        case notAllowed
        /// A string does not have a named format.
        case wrongFormat(String)
        /// Any other keyword: its name says all.
        case other
    }
}

extension SchemaViolation {
    /// What is wrong, as a sentence about the data.
    package var sentence: String {
        let place = instanceLocation.description
        return "\(place.isEmpty ? "the data" : "the value at \(place)") \(message)"
    }
}
