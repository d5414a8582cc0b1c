import WaybillDiagnostics
import WaybillPlatform

/// The folder that the program was started in.
enum CurrentFolder {
    /// The error if the path of the folder is not UTF-8: no path in a manifest or in results could lead to it.
    static var error: Diagnostic? {
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        guard unsafe String(validatingCString: path) == nil else { return nil }
        return Diagnostic(
            "run-error",
            "the path of the current folder, '\(unsafe String(cString: path))', is not valid UTF-8",
            at: nil,
            help: ["Run Waybill in a folder whose path is UTF-8."]
        )
    }
}
