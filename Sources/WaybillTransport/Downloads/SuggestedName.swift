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
        let name = FileContents.name(of: path)
        return safe(PercentEncoding.decoded(name) ?? name)
    }

    /// One name without folders, control and direction characters, leading dots, and extensions that partial files
    /// have; nil if nothing is left.
    package static func safe(_ text: String) -> String? {
        // Some servers send whole paths, with either slash.
        let parts = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
        var scalars = String.UnicodeScalarView(parts[parts.count - 1].filter(isAllowed))[...]
        scalars = scalars.drop(while: isOuter)
        while let end = scalars.last, isOuter(end) { scalars.removeLast() }
        var name = String(scalars)
        guard !name.isEmpty else { return nil }
        let lower = name.lowercased()
        if RunFileNames.isOfUnfinishedFile(lower) || RunFileNames.isOfDatabase(lower) { name += ".file" }
        return shortened(name)
    }

    /// Whether a name must not start or end with a code point.
    private static func isOuter(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }

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
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")).flatMap { name[$0...].utf8.count <= 20 ? $0 : nil }
        let fileExtension = name[(dot ?? name.endIndex)...]
        // The range of a string ends between two code points.
        let end = name.utf8.index(name.startIndex, offsetBy: longest - fileExtension.utf8.count)
        return String(name[..<end] + fileExtension)
    }

    /// An extended value (RFC 8187): `UTF-8''na%C3%AFve.txt`.
    private static func extended(_ value: String) -> String? {
        let parts = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = PercentEncoding.decodedBytes(parts[2])
        switch Substring(parts[0]).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
