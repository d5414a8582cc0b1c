import WaybillFormats
import WaybillRuntime

/// The URIs of files (RFC 8089), as clients name documents.
enum FileURI {
    /// Returns the path of a file URI of this machine; `nil` for any other URI.
    static func path(of uri: String) -> String? {
        guard uri.utf8.count <= 1 << 16 else { return nil }
        for prefix in ["file:///", "file://localhost/"] where uri.lowercased().hasPrefix(prefix) {
            let path = uri.prefix { $0 != "?" && $0 != "#" }.dropFirst(prefix.count)
            guard let decoded = PercentEncoding.decoded("/" + path), !decoded.utf8.contains(0) else { return nil }
            return decoded
        }
        return nil
    }

    /// Returns the URI of a path.
    static func uri(of path: String) -> String {
        "file://" + PercentEncoding.path(path.hasPrefix("/") ? path : FileContents.resolvedPath(path))
    }
}
