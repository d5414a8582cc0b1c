import WaybillDiagnostics
import WaybillFormats

/// Makes the request that a curl command sends to one of its URLs.
struct CurlRequest {
    private let command: CurlCommand
    private let url: ImportedText
    private let span: SourceSpan
    /// What the command reads from standard input, if the script has it.
    private let input: ImportedText?
    private var result: ImportedRequest

    init(_ command: CurlCommand, url: ImportedText, span: SourceSpan, input: ImportedText?) {
        self.command = command
        self.url = url
        self.span = span
        self.input = input
        result = ImportedRequest(url: url)
    }

    /// Returns the request.
    mutating func request() -> ImportedRequest {
        result.isExact = true
        result.span = span
        result.losses = command.losses
        let upload = command.value("upload-file")
        result.url = address()
        if command.has("get") {
            appendToQuery(joinedData())
            if command.data.contains(where: { $0.option == "json" }) {
                result.headers += ["Content-Type", "Accept"].map { ImportedField($0, "application/json") }
            }
        } else if !command.form.isEmpty {
            let parts = command.form.compactMap { part($0.option, $0.value) }
            if !parts.isEmpty { result.body = .multipart(parts) }
        } else if !command.data.isEmpty {
            addData()
        } else if let upload {
            addUpload(upload)
        }
        for query in command.values["url-query"] ?? [] {
            let text = query.string
            appendToQuery(
                text.hasPrefix("+") ? ImportedText(String(text.dropFirst())) : encoded(query) ?? ImportedText()
            )
        }
        let hasBody = result.body != nil || !command.form.isEmpty && !command.has("get")
        let usual = command.has("head") ? "HEAD" : upload != nil ? "PUT" : hasBody ? "POST" : "GET"
        result.method = command.value("request")?.string ?? usual
        if !result.method.isToken {
            lose("the method '\(result.method)'", "HTTP does not allow its characters")
            result.method = usual
        }
        addHeaders()
        addSettings()
        return result
    }

    private mutating func lose(_ what: String, _ reason: String, _ value: CurlCommand.Value? = nil) {
        result.losses.add(what, reason, at: value?.span ?? span)
    }

    private static let wholeFile = "only a file that is the whole body can be sent"
    private static let noSource = "it is not in the source"

    // MARK: URL

    /// The URL as curl requests it: with a scheme, and without dot segments.
    private func address() -> ImportedText {
        var address = url
        if case .literal(let text) = url.parts.first, !text.contains("://"), let scheme = command.value("proto-default")
        {
            address = ImportedText([.literal(scheme.string + "://")] + url.parts)
        }
        guard !command.has("path-as-is"), let literal = address.literal, literal.contains("/.") else { return address }
        let reference = URIReference(literal.contains("://") ? literal : "http://" + literal)
        return ImportedText(reference.resolved(against: reference).description)
    }

    private mutating func appendToQuery(_ text: ImportedText) {
        guard !text.isEmpty else { return }
        let (whole, fragment) = result.url.split(before: ["#"])
        var url = whole
        let (_, query) = whole.split(before: ["?"])
        if query == nil, case (_, nil) = Self.withoutScheme(whole).split(before: ["/"]) { url.append(.literal("/")) }
        url.append(.literal(query == nil ? "?" : query?.literal == "?" ? "" : "&"))
        url.append(text)
        if let fragment { url.append(fragment) }
        result.url = url
    }

    private static func withoutScheme(_ url: ImportedText) -> ImportedText {
        guard case .literal(let text) = url.parts.first, let mark = text.firstRange(of: "://") else { return url }
        return ImportedText([.literal(String(text[mark.upperBound...]))] + url.parts.dropFirst())
    }

    // MARK: Bodies

    /// The data of all options, joined as curl does; files are reported.
    private mutating func joinedData() -> ImportedText {
        var result = ImportedText()
        for (index, (option, value)) in command.data.enumerated() {
            if index > 0, option != "json" { result.append(.literal("&")) }
            if option == "data-urlencode" {
                if let text = encoded(value) { result.append(text) }
            } else if let text = content(option, value) {
                result.append(text)
            }
        }
        return result
    }

    /// The text of an option of data; nil, with a loss, if it is in a file.
    private mutating func content(_ option: String, _ value: CurlCommand.Value) -> ImportedText? {
        guard option != "data-raw", let name = value.text.startsWith("@") else { return value.text }
        if name.literal == "-" {
            if let input {
                return option == "data-binary" || option == "json"
                    ? input : input.mapLiterals { $0.filter { $0 != "\n" } }
            }
            lose("the body from standard input", Self.noSource, value)
        } else {
            lose("the data in the file '\(ManifestWriter.source(name))'", Self.wholeFile, value)
        }
        return nil
    }

    /// Returns `content`, `name=content` and the like, encoded for a form; nil, with a loss, if a file has it.
    private mutating func encoded(_ value: CurlCommand.Value) -> ImportedText? {
        let (before, after) = value.text.split(before: ["=", "@"])
        if case .literal(let mark)? = after?.parts.first, mark.hasPrefix("@") {
            lose("the data in '\(value.string)'", Self.wholeFile, value)
            return nil
        }
        let encode = { (text: String) in PercentEncoding.component(text).replacing("%20", with: "+") }
        guard let after else { return value.text.mapLiterals(encode) }
        return "\(before)\(before.isEmpty ? "" : "=")\(after.droppingFirst(1).mapLiterals(encode))"
    }

    private mutating func addData() {
        let isJSON = command.data.contains { $0.option == "json" }
        let type = isJSON ? "application/json" : "application/x-www-form-urlencoded"
        if isJSON { result.headers.append(ImportedField("Accept", "application/json")) }
        let (option, value) = command.data[0]
        if command.data.count == 1, option != "data-raw", option != "data-urlencode",
            let name = value.text.startsWith("@"),
            name.literal != "-"
        {
            if option == "data" || option == "data-ascii" {
                lose("the removal of line breaks from the file", "a file is sent as it is", value)
            }
            result.body = .file(ManifestWriter.source(name), contentType: type)
            return
        }
        result.body = .text(joinedData(), contentType: type)
    }

    private mutating func addUpload(_ file: CurlCommand.Value) {
        let isGlob = file.text.parts.contains {
            if case .literal(let text) = $0 { text.contains { "{[".contains($0) } } else { false }
        }
        if isGlob, !command.has("globoff") {
            return lose("the upload of '\(file.string)'", "globs in names of files are not expanded", file)
        }
        if file.string == "-" || file.string == "." {
            if let input {
                result.body = .text(input, contentType: nil)
            } else {
                lose("the body from standard input", Self.noSource, file)
            }
            return
        }
        result.body = .file(file.string, contentType: nil)
        if !(command.values["header"] ?? []).contains(where: { $0.string.lowercased().hasPrefix("content-type:") }) {
            result.removedFields.append("Content-Type")
        }
        // A URL that ends with a slash gets the name of the file.
        if case .literal(let end)? = url.parts.last, end.hasSuffix("/"),
            end.contains("://") ? end.split(separator: "/").count > 2 : true
        {
            let name = file.text.split(separator: "/").last ?? ""
            result.url.append(name.mapLiterals(PercentEncoding.component))
            if !name.variables.isEmpty {
                lose("the encoding of the name of the file", "the value of a variable is inserted as it is", file)
            }
        }
    }

    /// Returns a part of a form: `name=content`, `name=@file` or `name=<file`, with `;type=…` and the like.
    private mutating func part(_ option: String, _ value: CurlCommand.Value) -> ImportedPart? {
        guard case (let name, let rest?) = value.text.split(before: ["="]) else {
            lose("the part '\(value.string)'", "it has no name", value)
            return nil
        }
        let label = ManifestWriter.source(name)
        let content = rest.droppingFirst(1)
        if option == "form-string" { return ImportedPart(name: label, content: .text(content)) }
        let isFile = content.startsWith("@") != nil
        let text = PartText(ManifestWriter.source(isFile ? content.droppingFirst(1) : content))
        if isFile, text.content.contains(",") {
            lose("the part '\(label)' with several files", "a part of a manifest has one file", value)
            return nil
        }
        if isFile, text.content == "-" {
            lose("the part '\(label)' from standard input", Self.noSource, value)
            return nil
        }
        if content.startsWith("<") != nil {
            lose("the part '\(value.string)'", "a part with the text of a file has no form in a manifest", value)
            return nil
        }
        if let encoder = text.encoder {
            lose("the 'encoder=\(encoder)' of a part", "a manifest sends parts as they are", value)
        }
        let written =
            content.literal == nil ? BracedText.text(text.content) { .variable($0) } : ImportedText(text.content)
        return ImportedPart(
            name: label,
            content: isFile ? .file(text.content) : .text(written),
            filename: text.filename,
            contentType: text.type,
            headers: text.headers
        )
    }

    /// What follows the name of a part: `content;type=text/html;filename=a.html`.
    private struct PartText {
        var content: String
        var type: String?
        var filename: String?
        var headers: [ImportedField] = []
        var encoder: String?

        /// Splits a text as curl does: blanks around unquoted values and what has another name are left out.
        init(_ text: String) {
            var rest = text[...]
            var typeStart = rest.startIndex
            content = Self.word(&rest)
            while rest.popFirst() != nil {
                rest = rest.drop(while: \.isWhitespace)
                guard let name = ["type=", "filename=", "headers=", "encoder="].first(where: rest.hasPrefix) else {
                    // A parameter of the type is a part of it.
                    _ = Self.word(&rest)
                    if type != nil { type = String(text[typeStart..<rest.startIndex]).trimmingSpaces }
                    continue
                }
                rest = rest.dropFirst(name.count)
                if name == "type=" { typeStart = rest.startIndex }
                let value = Self.word(&rest)
                switch name {
                case "type=": type = value
                case "filename=": filename = value
                case "encoder=": encoder = value
                default:
                    let field = value.split(separator: ":", maxSplits: 1)
                    if field.count == 2 {
                        let entry = ImportedField(String(field[0]), ImportedText(String(field[1]).withoutOuterBlanks))
                        headers.append(entry)
                    }
                }
            }
        }

        /// Reads a value up to a semicolon, perhaps in double quotes.
        private static func word(_ rest: inout Substring) -> String {
            rest = rest.drop(while: \.isWhitespace)
            guard rest.first == "\"" else {
                let word = rest.prefix { $0 != ";" }
                rest = rest[word.endIndex...]
                return String(word).trimmingSpaces
            }
            let value = rest.readQuoted { $0 == "\"" || $0 == "\\" ? String($0) : "\\\($0)" }
            rest = rest.drop { $0 != ";" }
            return value
        }
    }

    // MARK: Header fields

    private mutating func addHeaders() {
        if let referer = command.value("referer") {
            let parts = referer.string.split(separator: ";auto", omittingEmptySubsequences: false)
            if parts.count > 1 { lose("the option '--referer …;auto'", "it follows redirects", referer) }
            let text = parts.count > 1 ? ImportedText(String(parts[0])) : referer.text
            if !text.isEmpty { result.headers.append(ImportedField("Referer", text)) }
        }
        if let agent = command.value("user-agent"), !agent.text.isEmpty {
            result.headers.append(ImportedField("User-Agent", agent.text))
        }
        if let range = command.value("range") {
            let text = range.string.contains("-") ? range.string : range.string + "-"
            result.headers.append(ImportedField("Range", ImportedText("bytes=\(text)")))
        }
        addCookies()
        for header in command.values["header"] ?? [] { addHeader(header) }
    }

    private mutating func addHeader(_ header: CurlCommand.Value) {
        if header.text.startsWith("@") != nil {
            return lose("the header fields in the file '\(header.string.dropFirst())'", "files are not read", header)
        }
        let (name, rest) = header.text.split(before: [":", ";"])
        guard let label = name.literal, case .literal(let mark)? = rest?.parts.first else {
            return lose("the header field '\(header.string)'", "it has no value", header)
        }
        let value = rest?.droppingFirst(1).trimmed ?? ""
        // `Name;` is sent with an empty value, and `Name:` is not sent at all.
        if mark.hasPrefix(";"), !value.isEmpty {
            return lose("the header field '\(header.string)'", "it has no value", header)
        }
        guard !value.isEmpty || mark.hasPrefix(";") else {
            // The field is not one that curl sends by itself otherwise, or Waybill's own is replaced.
            if let index = result.headers.firstIndex(where: { $0.isNamed(label) }) {
                result.headers.remove(at: index)
            }
            if label.lowercased() == "content-type" { result.removedFields.append(label) }
            return
        }
        // The user's field replaces the one of another option.
        if ["referer", "user-agent", "range", "accept", "cookie"].contains(label.lowercased()) {
            result.headers.remove(label)
        }
        result.headers.append(ImportedField(label, value))
    }

    private mutating func addCookies() {
        var cookies: [ImportedText] = []
        var jar: String?
        for cookie in command.values["cookie"] ?? [] {
            if cookie.text.variables.isEmpty, !cookie.string.contains("=") {
                jar = cookie.string
            } else {
                cookies.append(cookie.text)
            }
        }
        if let file = command.value("cookie-jar"), file.string != "-" { jar = file.string }
        if !cookies.isEmpty {
            result.headers.append(ImportedField("Cookie", cookies.joined(separator: "; ")))
        }
        guard let jar, !jar.isEmpty else { return }
        let name = FileReference.inside(jar, at: span, &result.losses)
        result.settings.append(ManifestEntry("cookies", .map(("jar", .plain(name)))))
    }

    // MARK: Settings

    private mutating func addSettings() {
        let settings = CurlSettings(command, url: url)
        // The user's field replaces the one that curl would make.
        let hasField = result.headers.has("authorization")
        if !hasField || command.has("digest") {
            result.auth = settings.auth
            result.comments += settings.comments
        }
        result.settings += settings.entries
        result.losses += settings.losses
    }
}

extension ImportedText {
    /// The text without blanks at its ends.
    fileprivate var trimmed: ImportedText {
        var parts = parts
        if case .literal(let text) = parts.first { parts[0] = .literal(String(text.drop { $0 == " " || $0 == "\t" })) }
        if case .literal(let text) = parts.last {
            let end = text.lastIndex { $0 != " " && $0 != "\t" }
            parts[parts.count - 1] = .literal(end.map { String(text[...$0]) } ?? "")
        }
        return ImportedText(parts)
    }
}
