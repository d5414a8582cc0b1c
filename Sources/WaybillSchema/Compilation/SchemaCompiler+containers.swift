import OrderedCollections
import WaybillJSON

extension SchemaCompiler {
    /// Compiles the rules for arrays.
    mutating func arrayRules(
        _ source: SchemaSource,
        validation: Bool,
        applicators: Bool
    ) throws(JSONSchemaError) -> ArrayRules {
        var rules = ArrayRules()
        if applicators {
            rules.prefix = try schemas(source, "prefixItems") ?? []
            rules.items = try schema(source, "items")
            rules.contains = try schema(source, "contains")
        }
        if validation {
            rules.minContains = try count(source, "minContains") ?? 1
            rules.maxContains = try count(source, "maxContains")
            rules.minItems = try count(source, "minItems")
            rules.maxItems = try count(source, "maxItems")
            rules.uniqueItems = try flag(source, "uniqueItems")
        }
        return rules
    }

    /// Compiles the rules for objects.
    mutating func objectRules(
        _ source: SchemaSource,
        validation: Bool,
        applicators: Bool
    ) throws(JSONSchemaError) -> ObjectRules {
        var rules = ObjectRules()
        if applicators {
            try readProperties(source, into: &rules)
            rules.propertyNames = try schema(source, "propertyNames")
            for (name, value) in try members(source, "dependentSchemas") ?? JSONObject() {
                let schema = try subschema(value, of: source, [.name("dependentSchemas"), .name(name)])
                rules.dependentSchemas.append((name, schema, "dependentSchemas"))
            }
        }
        if validation {
            if let value = source.members["required"] {
                rules.required = try names(value, source, [.name("required")])
            }
            rules.minProperties = try count(source, "minProperties")
            rules.maxProperties = try count(source, "maxProperties")
            for (name, value) in try members(source, "dependentRequired") ?? JSONObject() {
                let needs = try names(value, source, [.name("dependentRequired"), .name(name)])
                rules.dependentRequired.append((name, needs, "dependentRequired"))
            }
        }
        if applicators && validation { try readDependencies(source, into: &rules) }
        return rules
    }

    private mutating func readProperties(
        _ source: SchemaSource,
        into rules: inout ObjectRules
    ) throws(JSONSchemaError) {
        for (name, value) in try members(source, "properties") ?? JSONObject() {
            let schema = try subschema(value, of: source, [.name("properties"), .name(name)])
            rules.properties[CodePoints(name)] = schema
        }
        for (text, value) in try members(source, "patternProperties") ?? JSONObject() {
            let schema = try subschema(value, of: source, [.name("patternProperties"), .name(text)])
            rules.patterns.append((try pattern(text, source, [.name("patternProperties"), .name(text)]), schema))
        }
        rules.additional = try schema(source, "additionalProperties")
    }

    /// Reads `dependencies` of earlier drafts, which draft 2020-12 keeps for compatibility.
    private mutating func readDependencies(
        _ source: SchemaSource,
        into rules: inout ObjectRules
    ) throws(JSONSchemaError) {
        for (name, value) in try members(source, "dependencies") ?? JSONObject() {
            let path: [JSONPointer.Token] = [.name("dependencies"), .name(name)]
            if value.kind == .array {
                rules.dependentRequired.append((name, try names(value, source, path), "dependencies"))
            } else {
                rules.dependentSchemas.append((name, try subschema(value, of: source, path), "dependencies"))
            }
        }
    }
}
