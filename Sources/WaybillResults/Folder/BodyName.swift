/// The names of the files of kept bodies.
enum BodyName {
    private static let longest = 200

    /// Returns a safe file name for a step's path and a media type: `main.items[3].json`, or
    /// `main.items[3].page-2.json` for a page.
    static func of(step: String, page: Int? = nil, contentType: String?) -> String {
        stem(of: step) + (page.map { "\(pageMark)\($0)" } ?? "") + "." + fileExtension(contentType)
    }

    /// What separates the name of a step from the number of a page.
    static let pageMark = ".page-"

    /// Returns the name without its extension.
    static func stem(of step: String) -> String {
        var name = ""
        for byte in step.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "["),
                UInt8(ascii: "]"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ".") where !name.isEmpty:
                name += "."
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                name += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        if name.utf8.count > longest {
            name = "\(name.prefix(longest))~\(Checksum.text(of: Array(step.utf8)[...]))"
        }
        return name
    }

    /// Returns the usual extension for a media type; `bin` for an unknown one. Documents that may contain scripts (HTML,
    /// SVG and other XML) get `txt`, because a browser that opens them from a report would run these.
    private static func fileExtension(_ contentType: String?) -> String {
        let type = (contentType ?? "").prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        switch type {
        case "application/json": return "json"
        case "application/x-ndjson", "application/ndjson", "application/jsonl": return "ndjson"
        case "application/xml": return "txt"
        case "text/csv": return "csv"
        case let type where type.hasSuffix("+json"): return "json"
        case let type where type.hasSuffix("+xml"): return "txt"
        case "application/x-www-form-urlencoded": return "txt"
        case let type where type.hasPrefix("text/"): return "txt"
        default: return "bin"
        }
    }
}
