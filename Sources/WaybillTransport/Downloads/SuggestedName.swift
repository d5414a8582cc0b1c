import WaybillFormats
import WaybillRuntime

/// The name of a file that a server suggests, or that follows from a URL, made safe: a single name in a folder, without
/// misleading characters.
package enum SuggestedName {
    /// The maximum length in bytes. It leaves room for `.part.json` within the limits of file systems.
    private static let longest = 200

    /// The name in a `Content-Disposition` field (RFC 6266); `filename*` takes precedence over `filename`. Nil if there
    /// is none, or nothing is left of it.
    package static func of(_ headers: HTTPFields) -> String? {
        guard let field = headers.first(named: "Content-Disposition") else { return nil }
        var plain: String?
        for case (let name, let value?) in HTTPField.elements(of: field, separatedBy: ";") {
            switch name {
            case "filename*":
                if let name = extended(value).flatMap(safe) { return name }
            case "filename":
                plain = plain ?? value
            default:
                break
            }
        }
        return plain.flatMap(safe)
    }

    /// The last name in the path of a URL; nil if there is none.
    package static func of(url: String) -> String? {
        let path = URIReference(url).path
        guard let name = path.split(separator: "/", omittingEmptySubsequences: false).last else { return nil }
        return safe(PercentEncoding.decoded(String(name)) ?? String(name))
    }

    /// One name without folders, control and direction characters, leading dots, and extensions that partial files
    /// have; nil if nothing is left.
    package static func safe(_ text: String) -> String? {
        // Some servers send whole paths, with either slash.
        let last = text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? ""
        var name = String(String.UnicodeScalarView(last.unicodeScalars.filter(isAllowed)))
        name = String(name.drop { $0 == "." || $0.isWhitespace })
        while let end = name.last, end == "." || end.isWhitespace { name.removeLast() }
        guard !name.isEmpty else { return nil }
        let lower = name.lowercased()
        if RunFileNames.isOfUnfinishedFile(lower) || RunFileNames.isOfDatabase(lower) { name += ".file" }
        return shortened(name)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters can disguise a name, such as `exe.gpj` written from right to left.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: scalar != "\u{FFFD}"
        }
    }

    /// The name, truncated to the maximum length; its extension is kept.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let dot = name.lastIndex(of: ".").flatMap { name[$0...].utf8.count <= 20 ? $0 : nil } ?? name.endIndex
        var stem = name[..<dot]
        while stem.utf8.count + name[dot...].utf8.count > longest { stem.removeLast() }
        return String(stem + name[dot...])
    }

    /// An extended value (RFC 8187): `UTF-8''na%C3%AFve.txt`.
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = PercentEncoding.decodedBytes(parts[2].utf8)
        switch parts[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
