import WaybillJSON
import WaybillPipeline

extension Manifest {
    /// Plans a run whose inputs are the properties of a value; see
    /// ``plan(graphs:environment:inputs:variables:concurrency:)-(_,_,[String:JSONValue],_,_)``.
    ///
    /// ```swift
    /// struct Inputs: Encodable { var username: String; var since: Date }
    /// let plan = try manifest.plan(inputs: Inputs(username: "ann", since: .now))
    /// ```
    ///
    /// The value must encode an object, as ``JSONValue/init(encoding:)`` does.
    ///
    /// - Throws: ``ManifestError`` with all diagnostics, if one of them is an error; `EncodingError` if the inputs are not
    ///   an object, or if JSON cannot represent them.
    public func plan(
        graphs: [String] = [],
        environment: String? = nil,
        inputs: some Encodable,
        variables: [String: String]? = nil,
        concurrency: Int? = nil
    ) throws -> RunPlan {
        try plan(
            graphs: graphs,
            environment: environment,
            inputs: JSONValue.members(encoding: inputs),
            variables: variables,
            concurrency: concurrency
        )
    }
}

extension ManifestRun {
    /// Continues a run whose inputs are the properties of a value; see
    /// ``resume(_:inputs:variables:repeatsUnsure:repeatsTolerated:allowsOutside:options:)-(_,[String:JSONValue],_,_,_,_,_)``.
    ///
    /// The value must encode an object, as ``JSONValue/init(encoding:)`` does.
    ///
    /// - Throws: ``ManifestError`` if the manifest has errors, or if parts of it that have already run were changed;
    ///   ``RunError`` if there is no run in the folder, or if its journal is damaged; `EncodingError` if the inputs are not
    ///   an object, or if JSON cannot represent them.
    public static func resume(
        _ folder: String,
        inputs: some Encodable,
        variables: [String: String]? = nil,
        repeatsUnsure: Bool = false,
        repeatsTolerated: Bool = false,
        allowsOutside: Bool = false,
        options: ManifestRun.Options = ManifestRun.Options()
    ) throws -> ManifestRun {
        try resume(
            folder,
            inputs: JSONValue.members(encoding: inputs),
            variables: variables,
            repeatsUnsure: repeatsUnsure,
            repeatsTolerated: repeatsTolerated,
            allowsOutside: allowsOutside,
            options: options
        )
    }
}

extension JSONValue {
    /// Returns the members of the object that a value encodes.
    fileprivate static func members(encoding value: some Encodable) throws -> [String: JSONValue] {
        guard let object = try JSONValue(encoding: value).json.object else {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: [], debugDescription: "the inputs of a manifest must be an object")
            )
        }
        return Dictionary(object.map { ($0.name, JSONValue($0.value)) }) { _, last in last }
    }
}
