import WaybillContract
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

/// Reads recordings of browsers and proxies: HTTP Archives (HAR 1.2).
struct HARReader: ImportReader {
    private let file: SourceFile
    private let filter: ImportOptions
    private var collection = ImportedCollection()
    private var diagnostics: [Diagnostic] = []
    /// The cookies that recorded responses set, by name, and the domains and paths that they are sent to.
    private var jar: [String: Set<[String]>] = [:]
    /// The variables of the other cookies, by name and value.
    private var cookies: [ImportedField: String] = [:]
    private var cookieNames = UniqueNames()
    /// What was left out, and how often.
    private var browserFields = HARCounts()
    private var jarCookies = HARCounts()
    private var preflights = 0
    /// Whether Waybill has written the archive, in which secrets are `***`.
    private var isRedacted = false

    static let description = "HTTP Archives (HAR)"
    static let fileExtensions = [".har"]

    static func recognizes(_ text: RecognizedText) -> Bool { text.json?["log"]?["entries"] != nil }

    /// Reads recordings. Each but the only one is a folder.
    static func read(_ sources: [SourceFile], _ options: ImportOptions) -> ImportResult {
        var reader = HARReader(file: sources.first ?? SourceFile(name: "", bytes: []), filter: options)
        for source in sources {
            reader = HARReader(continuing: reader, file: source)
            let items = reader.readLog()
            reader.collection.add(items, of: source, isOnly: sources.count == 1)
        }
        reader.addSummary()
        return (reader.collection, reader.diagnostics)
    }

    private init(file: SourceFile, filter: ImportOptions) {
        self.file = file
        self.filter = filter
    }

    private init(continuing reader: HARReader, file: SourceFile) {
        self.init(file: file, filter: reader.filter)
        (collection, diagnostics) = (reader.collection, reader.diagnostics)
        (jar, cookies, cookieNames) = (reader.jar, reader.cookies, reader.cookieNames)
        (browserFields, jarCookies, preflights) = (reader.browserFields, reader.jarCookies, reader.preflights)
    }

    private mutating func report(_ headline: String, at pointer: JSONPointer, id: DiagnosticID = "import-syntax") {
        let span = JSONLocations(of: [pointer], in: file).span(at: pointer)
        diagnostics.report(id, headline, at: span ?? file.start)
    }

    // MARK: Entries

    private mutating func readLog() -> [ImportedItem] {
        guard let json = file.json(&diagnostics) else { return [] }
        let pointer = JSONPointer([.name("log")])
        guard let log = json["log"], let list = log["entries"]?.array else {
            report("\(file.name) is not an HTTP Archive: the list 'log.entries' is missing", at: pointer)
            return []
        }
        isRedacted = log["creator"]?["name"] == "waybill"
        var entries = list.indices.compactMap { entry($0, of: list, in: pointer.member("entries")) }
        guard !diagnostics.hasErrors else { return [] }
        if collection.name == nil, let comment = log["comment"]?.string, !comment.isEmpty {
            collection.comments.append(comment)
        }
        // The list need not be in the order of time.
        if entries.allSatisfy({ $0.start != nil }) {
            let order = entries.indices.sorted { left, right in
                guard let first = entries[left].start, let second = entries[right].start else { return false }
                return (first, left) < (second, right)
            }
            entries = order.map { entries[$0] }
        }
        let spans = JSONLocations(of: entries.map { $0.pointer.member("request").member("url") }, in: file)
        let steps = chains(of: entries)
        if steps.isEmpty {
            let hosts = Set(entries.map(\.host)).sorted().prefix(10).joined(separator: ", ")
            let reason =
                entries.isEmpty ? "it has no entries" : "none has the wanted host, path and type; hosts: \(hosts)"
            let headline = "nothing in \(file.name) is imported: \(reason)"
            report(headline, at: pointer.member("entries"), id: "unknown-source")
        }
        let titles = Dictionary(
            (log["pages"]?.array ?? []).compactMap { page in page["id"]?.string.map { ($0, page) } },
            uniquingKeysWith: { first, _ in first }
        )
        var page: String?
        return steps.compactMap { chain in
            guard var request = self.request(chain, spans) else { return nil }
            if let id = chain[0].json["pageref"]?.string, id != page, let json = titles[id] {
                page = id
                let lines = [json["title"]?.string.map { "page: \($0)" }, json["comment"]?.string]
                request.comments.insert(contentsOf: lines.compactMap { $0 }.filter { !$0.isEmpty }, at: 0)
            }
            return .request(request)
        }
    }

    private mutating func entry(_ index: Int, of list: [JSON], in pointer: JSONPointer) -> HAREntry? {
        guard diagnostics.count < 20 else { return nil }
        let position = pointer.appending(.index(index))
        let request = position.member("request")
        for (json, pointer) in [
            (list[index], position), (list[index]["request"] ?? .null, request),
            (list[index]["request"]?["postData"] ?? .null, request.member("postData")),
        ] where json["_truncated"] != nil && json["_truncated"] != .bool(false) {
            report("the recording is incomplete: '_truncated' marks a part that is missing", at: pointer)
            return nil
        }
        guard let url = list[index]["request"]?["url"]?.string, let method = list[index]["request"]?["method"]?.string
        else {
            report("expected an entry with 'request.method' and 'request.url'", at: position)
            return nil
        }
        guard method.isToken else {
            report("HTTP does not allow the method '\(method)'", at: request.member("method"))
            return nil
        }
        return HAREntry(list[index], method: method, url: url, at: position)
    }

    /// Returns the entries that the filter keeps. An entry is followed by those of the redirects that the browser followed.
    private func chains(of entries: [HAREntry]) -> [[HAREntry]] {
        var positions: [[UInt8]: [Int]] = [:]
        for index in entries.indices.reversed() { positions[Array(entries[index].url.utf8), default: []].append(index) }
        var isFollowed = Set<Int>()
        var result: [[HAREntry]] = []
        for index in entries.indices where !isFollowed.contains(index) && entries[index].isWanted(filter) {
            var chain = [entries[index]]
            var last = index
            while let (method, url) = entries[last].redirect, let key = Optional(Array(url.utf8)) {
                while let first = positions[key]?.last, first <= last || isFollowed.contains(first) {
                    positions[key]?.removeLast()
                }
                guard let next = positions[key]?.last, entries[next].method == method else { break }
                isFollowed.insert(next)
                chain.append(entries[next])
                last = next
            }
            if filter.types.isEmpty || filter.types.contains(where: { entries[last].hasType($0) }) {
                result.append(chain)
            }
        }
        return result
    }

    // MARK: Requests

    /// Returns a request, or only what is lost of it; nil for a preflight.
    private mutating func request(_ chain: [HAREntry], _ spans: JSONLocations) -> ImportedRequest? {
        let (entry, last) = (chain[0], chain[chain.count - 1])
        var request = ImportedRequest(url: "")
        request.span = spans.span(at: entry.pointer.member("request").member("url"))
        // A query may have secrets.
        let what = "the request \(entry.method) \(entry.url.prefix { $0 != "?" }.prefix(120))"
        guard ["http", "https"].contains(URIReference(entry.url).scheme?.lowercased()), last.status != 101 else {
            request.losses = [ImportLoss(what, "only requests of http and https are imported", at: request.span)]
            return request
        }
        guard entry.status != 0 else {
            let error = entry.response["_error"]?.string ?? entry.response["statusText"]?.string ?? ""
            let reason = "it failed in the recording" + (error.isEmpty ? "" : " (\(error))")
            request.losses = [ImportLoss(what, reason, at: request.span)]
            return request
        }
        if entry.isPreflight {
            preflights += 1
            return nil
        }
        request.method = entry.method
        request.isExact = true
        request.url = ImportedText(entry.urlWithQuery)
        request.comments = [entry.json["comment"], entry.request["comment"], entry.request["postData"]?["comment"]]
            .compactMap { $0?.string }.filter { !$0.isEmpty }
        readHeaders(entry, into: &request)
        readBody(entry.request["postData"], into: &request)
        reportMissingBody(of: entry, in: &request)
        if isRedacted { removeRedacted(from: &request) }
        for name in entry.unknownMembers {
            request.losses.add("the member '\(name)'", "HAR 1.2 does not define it", at: request.span)
        }
        for entry in chain { storeCookies(of: entry) }
        readResponse(chain, into: &request)
        scan(entry.request)
        scan(last.response)
        return request
    }

    private mutating func readHeaders(_ entry: HAREntry, into request: inout ImportedRequest) {
        var pairs: [ImportedField] = []
        for field in entry.headers {
            let name = field.name.lowercased()
            if name == "cookie" {
                pairs += HAREntry.cookies(field.value.literal ?? "")
            } else if BrowserFields.contains(name, field.value.literal ?? "") {
                browserFields.add(field.name)
            } else {
                request.headers.append(field)
            }
        }
        if pairs.isEmpty { pairs = HAREntry.fields(entry.request["cookies"]) }
        var text = ImportedText()
        for cookie in pairs {
            if jar[cookie.name]?.contains(where: { entry.sendsCookies(of: $0[0], $0[1]) }) ?? false {
                jarCookies.add(cookie.name)
                continue
            }
            let variable = cookies[cookie] ?? cookieNames.add(SecretNames.secret(for: cookie.name))
            if cookies.updateValue(variable, forKey: cookie) == nil {
                collection.variables.append(ImportedVariable(name: variable, value: cookie.value, isSecret: true))
            }
            text.append(.literal("\(text.isEmpty ? "" : "; ")\(cookie.name)\(cookie.name.isEmpty ? "" : "=")"))
            if !cookie.value.isEmpty { text.append(.variable(variable)) }
        }
        if !text.isEmpty { request.headers.append(ImportedField("Cookie", text)) }
    }

    private mutating func readBody(_ json: JSON?, into request: inout ImportedRequest) {
        guard let json, json.object != nil else { return }
        let type = json["mimeType"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let essence = MediaTypeName(type ?? "").text
        if let text = json["text"]?.string, !text.isEmpty {
            if json["encoding"]?.string?.lowercased() == "base64" {
                guard let bytes = Base64.decode(text) else {
                    return request.losses.add("the body", "it is not valid Base64", at: request.span)
                }
                request.body = .bytes(bytes)
                if let type, !request.headers.has("content-type") {
                    request.headers.append(ImportedField("Content-Type", ImportedText(type)))
                }
            } else if essence == "multipart/form-data", let parts = MultipartText.parts(of: text, type: type ?? "") {
                request.body = .multipart(parts)
            } else {
                request.body = .text(ImportedText(text), contentType: type)
            }
            return
        }
        guard let params = json["params"]?.array, !params.isEmpty else { return }
        guard essence == "multipart/form-data" || params.contains(where: { $0["fileName"]?.string != nil }) else {
            request.body = .form(HAREntry.fields(json["params"]))
            return
        }
        request.body = .multipart(
            params.map { param in
                let name = param["fileName"]?.string
                let isFile = name != nil && param["value"]?.string == nil
                let content = ImportedText(param["value"].text)
                return ImportedPart(
                    name: param["name"].text,
                    content: isFile ? .file(name ?? "") : .text(content),
                    filename: isFile ? nil : name,
                    contentType: param["contentType"]?.string
                )
            }
        )
    }

    /// Reports a body that the recording does not have, or of which it has only the start.
    private func reportMissingBody(of entry: HAREntry, in request: inout ImportedRequest) {
        let length = entry.headers["content-length"]?.literal.flatMap { Int($0.trimmingSpaces) } ?? 0
        let recorded = Int((entry.request["bodySize"]).text) ?? 0
        let data = entry.request["postData"]
        switch request.body {
        case nil where max(length, recorded) > 0 && data?["encoding"] == nil:
            request.losses.add(
                "the body of \(max(length, recorded)) bytes",
                "the recording does not have it",
                at: request.span
            )
        case .text(let text, _) where isRedacted && text.literal.map { $0.utf8.count < recorded } ?? false:
            request.losses.add(
                "the body of \(recorded) bytes",
                "the recording has only its start; --keep-bodies records all",
                at: request.span
            )
            request.body = nil
        default: break
        }
    }

    /// Removes the header fields and parameters whose values the archive does not have, and reports all such values.
    private func removeRedacted(from request: inout ImportedRequest) {
        func isRedacted(_ text: ImportedText) -> Bool { text.literal?.contains("***") ?? false }
        var names = request.headers.filter { isRedacted($0.value) }.map(\.name)
        request.headers.removeAll { isRedacted($0.value) }
        let url = request.url.literal ?? ""
        if let start = url.firstIndex(of: "?") {
            let pairs = url[url.index(after: start)...].split(separator: "&", omittingEmptySubsequences: false)
            let kept = pairs.filter { !$0.contains("***") }
            names += pairs.filter { $0.contains("***") }.map { String($0.prefix { $0 != "=" }) }
            let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
            if kept.count < pairs.count { request.url = ImportedText(url[..<start] + query) }
        }
        if isRedacted(request.url) { names.append("the URL") }
        if case .text(let text, _) = request.body, isRedacted(text) { names.append("the body") }
        guard !names.isEmpty else { return }
        request.losses.add(
            "the secret values in \(names.joined(separator: ", "))",
            "the archive has '***' instead of them",
            at: request.span
        )
    }

    // MARK: Responses

    /// The size in bytes up to which a response becomes an example.
    private static let maximumExample = 16 << 10

    private mutating func readResponse(_ chain: [HAREntry], into request: inout ImportedRequest) {
        let last = chain[chain.count - 1]
        if chain.count > 1 {
            let targets = chain.dropFirst().map { $0.url.prefix { $0 != "?" } }.joined(separator: ", ")
            request.comments.append("followed by redirects to: \(targets)")
            // More than the default.
            if chain.count > 11 {
                request.settings.append(ManifestEntry("redirects", .literal("\(min(chain.count - 1, 100))")))
            }
        } else if last.redirect != nil {
            request.settings.append(ManifestEntry("redirects", .literal("false")))
        }
        guard let status = last.status, (200...599).contains(status) else { return }
        guard status != 304 else {
            request.comments.append("The browser had the response in its cache (304).")
            request.examples = [ImportedExample(status: 200)]
            return
        }
        if !(200...299).contains(status) { request.checks.append(.status(["\(status)"])) }
        var example = ImportedExample(status: status)
        example.headers = HAREntry.fields(last.response["headers"])
        if !last.type.isEmpty, !example.headers.has("content-type") {
            example.headers.append(ImportedField("Content-Type", ImportedText(last.type)))
        }
        let content = last.response["content"]
        let isTruncated = content?["_truncated"].map { $0 != .bool(false) } ?? false
        var text = content?["text"]?.string ?? ""
        if content?["encoding"]?.string?.lowercased() == "base64" {
            text = Base64.decode(text).flatMap { String(validating: $0, as: UTF8.self) } ?? "\0"
            if text.utf8.count <= Self.maximumExample { collection.secrets.add(text) }
        }
        if text.utf8.count > Self.maximumExample || text.utf8.contains(0) || isTruncated {
            let size = (content?["size"]).text
            let reason = isTruncated ? "incomplete" : text.utf8.contains(0) ? "not text" : "large"
            request.comments.append("The body of the response is \(reason): \(size) bytes of \(last.type).")
        } else {
            example.body = text
        }
        request.examples = [example]
    }

    private mutating func storeCookies(of entry: HAREntry) {
        for field in HAREntry.fields(entry.response["headers"]) where field.name.lowercased() == "set-cookie" {
            // Browsers join several fields with line breaks.
            for line in (field.value.literal ?? "").split(whereSeparator: \.isNewline) {
                let parts = line.split(separator: ";").map { String($0).trimmingSpaces }
                guard let cookie = parts.first.flatMap({ HAREntry.cookies($0).first }) else { continue }
                func attribute(_ name: String) -> String? {
                    parts.first { $0.lowercased().hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
                }
                let domain = attribute("domain=").map { $0.lowercased() } ?? entry.host
                let path = attribute("path=").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? entry.defaultPath
                jar[cookie.name, default: []].insert([domain, path])
                collection.secrets.add(cookie.value.literal ?? "", of: cookie.name)
            }
        }
    }

    /// Finds the secrets of a request or response. Large bodies do not become part of the manifest.
    private mutating func scan(_ json: JSON) {
        guard case .object(let members) = json else { return }
        let text = members["content"]?["text"]?.string ?? ""
        var rest = JSONObject()
        for (name, value) in members where name != "content" { rest[name] = value }
        collection.secrets.add(.object(rest))
        if text.utf8.count <= Self.maximumExample { collection.secrets.add(text) }
        for cookie in HAREntry.fields(members["cookies"]) where (cookie.value.literal ?? "").utf8.count >= 8 {
            collection.secrets.add(cookie.value.literal ?? "", of: cookie.name)
        }
    }

    /// Adds comments about what was left out.
    private mutating func addSummary() {
        let parts = [
            ("Header fields of the browser that are left out", browserFields.text),
            ("Cookies that responses set, and that a run keeps itself", jarCookies.text),
            ("CORS preflights that are left out", preflights > 0 ? "\(preflights)" : ""),
        ]
        collection.comments += parts.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1)" }
    }
}

/// How often names occur, in the order of their first occurrence. Their case does not matter.
struct HARCounts {
    private var names: [String] = []
    private var counts: [String: Int] = [:]

    mutating func add(_ name: String) {
        if counts[name.lowercased()] == nil { names.append(name) }
        counts[name.lowercased(), default: 0] += 1
    }

    /// The names and numbers in one line.
    var text: String { names.map { "\($0) (\(counts[$0.lowercased()] ?? 0))" }.joined(separator: ", ") }
}

extension JSONPointer {
    /// Returns the pointer to a member.
    fileprivate func member(_ name: String) -> JSONPointer { appending(.name(name)) }
}
