import WaybillDiagnostics

/// Reads a manifest and everything that it includes, and checks it by every rule. Sends nothing.
///
/// ```swift
/// let manifest = try Waybill.load("accounts.yaml")
/// ```
///
/// - Parameters:
///   - path: The path of the manifest, `-` for standard input.
///   - environment: The environment to apply to the manifest for the check, and for plans that do not name one.
///   - allowsOutside: Whether includes and data files may be outside the folder of the manifest.
/// - Throws: ``ManifestError`` with all diagnostics, if one of them is an error.
public func load(
    _ path: String,
    environment: String? = nil,
    allowsOutside: Bool = false
) throws -> CheckedManifest {
    let pipeline = try Pipeline(allowsOutside: allowsOutside)
    let loaded = pipeline.load(path)
    let stage = pipeline.check(loaded, environment: environment)
    guard let checked = stage.value else { throw ManifestError(stage.diagnostics) }
    return CheckedManifest(checked, stage.diagnostics, of: loaded, pipeline)
}

/// Returns all errors and warnings in a manifest and in everything that it includes, in the order of the text.
///
/// - Parameters:
///   - path: The path of the manifest, `-` for standard input.
///   - environment: The environment to apply to the manifest.
///   - allowsOutside: Whether includes and data files may be outside the folder of the manifest.
/// - Throws: Only if the program itself is damaged.
public func check(
    _ path: String,
    environment: String? = nil,
    allowsOutside: Bool = false
) throws -> [ManifestDiagnostic] {
    let pipeline = try Pipeline(allowsOutside: allowsOutside)
    return pipeline.check(pipeline.load(path), environment: environment).diagnostics.map(ManifestDiagnostic.init)
}

/// Returns all errors and warnings in a manifest that is not saved yet, such as in an editor.
///
/// - Parameters:
///   - text: The text of the manifest.
///   - path: The path where it would be saved. Diagnostics contain this path, and included files are relative to it.
///   - environment: The environment to apply to the manifest.
///   - allowsOutside: Whether includes and data files may be outside the folder of the path.
/// - Throws: Only if the program itself is damaged.
public func check(
    text: String,
    of path: String,
    environment: String? = nil,
    allowsOutside: Bool = false
) throws -> [ManifestDiagnostic] {
    let file = SourceFile(name: path, text: text)
    let pipeline = try Pipeline(allowsOutside: allowsOutside)
    return pipeline.check(pipeline.load(file), environment: environment).diagnostics.map(ManifestDiagnostic.init)
}
