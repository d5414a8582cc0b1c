import WaybillFormats
import WaybillJSON

/// The names of the files of kept bodies.
enum BodyName {
    private static let longest = 200

    /// Returns a safe file name for a step's path and a media type: `main.items[3].json`, or
    /// `main.items[3].page-2.json` for a page, each with `@request` before the extension for the body of the request.
    static func of(step: String, page: Int? = nil, ofRequest: Bool = false, contentType: String?) -> String {
        stem(of: step) + (page.map { "\(pageMark)\($0)" } ?? "") + (ofRequest ? requestMark : "") + "."
            + fileExtension(contentType)
    }

    /// The end of the name of a request's body. The name of a step, which is encoded, has no '@'.
    static let requestMark = "@request"

    /// What separates the name of a step from the number of a page.
    static let pageMark = ".page-"

    /// Returns the name without its extension.
    static func stem(of step: String) -> String {
        var name = FileNameText.encoded(step, keeping: "[].")
        // A hidden file would not be listed.
        if name.hasPrefix(".") { name = "%2E" + name.dropFirst() }
        if name.utf8.count > longest {
            name = "\(name.prefix(longest))~\(Checksum.text(of: Array(step.utf8)[...]))"
        }
        return name
    }

    /// Returns the usual extension for a media type; `bin` for an unknown one. Documents that may contain scripts (HTML,
    /// SVG and other XML) get `txt`, because a browser that opens them from a report would run these.
    private static func fileExtension(_ contentType: String?) -> String {
        let essence = (contentType ?? "").unicodeScalars.prefix { $0 != ";" }.filter { !$0.properties.isWhitespace }
        let type = String(String.UnicodeScalarView(essence)).lowercased()
        switch type {
        case "application/json": return "json"
        case "application/x-ndjson", "application/ndjson", "application/jsonl": return "ndjson"
        case "application/xml": return "txt"
        case "text/csv": return "csv"
        case let type where type.endsWithCodePoints(of: "+json"): return "json"
        case let type where type.endsWithCodePoints(of: "+xml"): return "txt"
        case "application/x-www-form-urlencoded": return "txt"
        case let type where type.startsWithCodePoints(of: "text/"): return "txt"
        default: return "bin"
        }
    }
}

/// Texts as parts of file names.
enum FileNameText {
    /// Returns a text with ASCII letters, digits, `-`, `_` and some other characters as they are, and the bytes of all
    /// others percent-encoded.
    static func encoded(_ text: String, keeping others: String = "") -> String {
        let kept = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_\(others)".utf8
        return text.utf8.reduce(into: "") { name, byte in
            if kept.contains(byte) {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                name += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
    }
}
