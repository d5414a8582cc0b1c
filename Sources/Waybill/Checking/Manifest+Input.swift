import WaybillJSON
import WaybillManifest

extension Manifest {
    /// An input that a manifest takes.
    public struct Input: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The names of the types in its schema, such as `integer`; empty if any value is accepted.
        public let types: [String]
        /// The description in its schema.
        public let description: String?
        /// The value that it has if none is given.
        public let defaultValue: JSONValue?
        /// The environment variable that it comes from if no value is given.
        public let variable: String?
        /// The whole JSON Schema of its value.
        public let schema: JSONValue

        /// Whether a plan needs a value: there is neither a default nor an environment variable.
        public var isRequired: Bool { defaultValue == nil && variable == nil }

        init(name: String, _ declaration: InputDeclaration) {
            self.name = name
            types = declaration.types
            description = declaration.document["description"]?.string
            defaultValue = declaration.defaultValue.map { JSONValue($0) }
            variable = declaration.environmentVariable
            schema = JSONValue(declaration.document)
        }
    }
}
