import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest

/// A collection of Postman in version 3, a folder with one YAML file for each request, as a collection of version 2.1.
///
/// `NAME.request.yaml` is a request, `.resources/definition.yaml` describes the folder around `.resources`, and saved
/// responses are in `.resources/NAME.resources/examples`.
struct PostmanFolder {
    /// The collection in the form of version 2.1.
    private(set) var json = JSON.null
    /// The environments and globals among the files.
    private(set) var environments: [SourceFile] = []
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var losses: [ImportLoss] = []
    /// The files that are values of the collection.
    private var nodes: [(pointer: [String], node: YAMLNode)] = []

    private var root = Folder()

    /// What a folder contains, by name.
    fileprivate struct Folder {
        var definition: YAMLNode?
        var folders: [(name: String, folder: Folder)] = []
        var requests: [(name: String, node: YAMLNode)] = []
        var examples: [String: [YAMLNode]] = [:]
    }

    /// The endings of the names of its files.
    static let fileExtensions =
        endings(of: ["request", "example", "environment", "globals", "definition"]) + ["/definition.yaml"]

    private static func endings(of kinds: [String]) -> [String] { kinds.flatMap { [".\($0).yaml", ".\($0).yml"] } }

    /// Whether a file is one of a collection of version 3.
    static func isPart(_ name: String) -> Bool { fileExtensions.contains { name.lowercased().hasSuffix($0) } }

    /// Reads the files of one collection, or of several.
    init(_ sources: [SourceFile]) {
        let paths = sources.map { $0.name.split(separator: "/").map(String.init) }
        let files = zip(paths, sources).filter { _, source in
            let isValues = Self.endings(of: ["environment", "globals"]).contains {
                source.name.lowercased().hasSuffix($0)
            }
            if isValues { environments.append(source) }
            return !isValues
        }
        // The folder that contains all requests.
        let owners = files.map { path, _ in path.prefix(while: { $0 != ".resources" }).prefix(path.count - 1) }
        let common = owners.dropFirst().reduce(owners.first ?? []) { common, path in
            common.prefix(zip(common, path).prefix { $0 == $1 }.count)
        }
        for (path, source) in files {
            let (node, found) = YAMLReader().read(source)
            diagnostics += found
            guard let node, !found.hasErrors else { continue }
            let kind = node["$kind"]?.text ?? ""
            if kind.hasSuffix("-request"), kind != "http-request", kind != "graphql-request" {
                let what = "the request '\(path.last ?? "")'"
                losses.add(what, "'\(kind)' is not an HTTP request", at: node["$kind"]?.span)
            } else {
                root.add(node, at: path.dropFirst(common.count))
            }
        }
        var collection = definition(of: root, named: common.last ?? "collection")
        collection["info"] = .object(collection)
        collection["item"] = .array(items(of: root, at: ["item"]))
        if let node = root.definition { nodes.append(([], node)) }
        json = .object(collection)
    }

    // MARK: Version 2.1

    /// The items of a folder, in their order.
    private mutating func items(of folder: Folder, at pointer: [String]) -> [JSON] {
        func order(_ node: YAMLNode?) -> Double { node?["order"]?.text.flatMap(Double.init) ?? .infinity }
        let entries =
            folder.folders.map {
                (
                    name: $0.name, order: order($0.folder.definition), folder: Optional($0.folder),
                    node: $0.folder.definition
                )
            }
            + folder.requests.map { (name: $0.name, order: order($0.node), folder: nil, node: Optional($0.node)) }
        let sorted = entries.sorted {
            $0.order != $1.order ? $0.order < $1.order : $0.name.precedesByCodePoints($1.name)
        }
        return sorted.enumerated().map { index, entry in
            let position = pointer + ["\(index)"]
            if let node = entry.node { nodes.append((position, node)) }
            guard let inner = entry.folder else {
                return entry.node.map { request($0, named: entry.name, folder.examples[entry.name] ?? []) } ?? .null
            }
            var members = definition(of: inner, named: entry.name)
            members["item"] = .array(items(of: inner, at: position + ["item"]))
            return .object(members)
        }
    }

    /// What a collection, a folder or a request says about itself.
    private func common(_ json: JSON, named name: String) -> JSONObject {
        var members = JSONObject()
        members["name"] = json["name"] ?? .string(name)
        members["description"] = json["description"]
        members["variable"] = json["variables"].map { Self.list($0) }
        if let auth = json["auth"], let type = auth["type"]?.string, type != "inherit" {
            members["auth"] = ["type": .string(type)]
            if let credentials = auth["credentials"] {
                members["auth"] = .object(JSONObject([("type", .string(type)), (type, Self.list(credentials))]))
            }
        } else if json["auth"]?.array != nil {
            members["auth"] = ["type": "several"]
        }
        members["event"] = .array(
            (json["scripts"]?.array ?? []).map { script in
                let isTest = script["type"]?.string?.lowercased().contains("after") ?? true
                return [
                    "listen": isTest ? "test" : "prerequest", "script": ["exec": script["code"] ?? ""],
                ]
            }
        )
        return members
    }

    private func definition(of folder: Folder, named name: String) -> JSONObject {
        common(folder.definition?.json ?? .null, named: name)
    }

    private func request(_ node: YAMLNode, named name: String, _ examples: [YAMLNode]) -> JSON {
        let json = node.json
        var members = common(json, named: name)
        var request = JSONObject()
        request["method"] = json["method"] ?? (json["query"] == nil ? "GET" : "POST")
        request["url"] = Self.url(json)
        request["header"] = json["headers"].map { Self.list($0) }
        request["body"] = Self.body(json)
        request["auth"] = members["auth"]
        request["description"] = members["description"]
        members["request"] = .object(request)
        if var settings = json["settings"]?.object {
            if settings["protocolVersion"]?.string == "auto" { settings["protocolVersion"] = nil }
            members["protocolProfileBehavior"] = .object(settings)
        }
        members["response"] = .array(
            examples.map { example in
                let response = example.json["response"] ?? .null
                var result = JSONObject()
                result["name"] = example.json["name"]
                result["code"] = response["statusCode"]
                result["header"] = response["headers"].map { Self.list($0) }
                result["body"] = response["body"]?["content"]
                return .object(result)
            }
        )
        return .object(members)
    }

    /// The URL, with the parameters of its query that are not in its text, too.
    private static func url(_ json: JSON) -> JSON {
        let text = json["url"].text
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let written: [JSON] = parts.dropFirst().flatMap { $0.split(separator: "&") }.map { pair in
            let field = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return field.count == 2
                ? ["key": .string(field[0]), "value": .string(field[1])] : ["key": .string(field[0])]
        }
        let names = Set(written.compactMap { $0["key"]?.string })
        let parameters = json["queryParams"].map { list($0).array ?? [] } ?? []
        let others = parameters.filter { !names.contains($0["key"]?.string ?? "") || $0["disabled"]?.bool == true }
        return [
            "raw": .string(text), "host": .string(String(parts[0])), "query": .array(written + others),
            "variable": json["pathVariables"].map { list($0) } ?? [],
        ]
    }

    private static func body(_ json: JSON) -> JSON? {
        if let query = json["query"] {
            return ["mode": "graphql", "graphql": ["query": query, "variables": json["variables"] ?? .null]]
        }
        guard let type = json["body"]?["type"]?.string, type != "none" else { return nil }
        let content = json["body"]?["content"] ?? .null
        switch type {
        case "urlencoded", "formdata": return .object(JSONObject([("mode", .string(type)), (type, list(content))]))
        case "file": return ["mode": "file", "file": content.string.map { ["src": .string($0)] } ?? content]
        case "json", "text", "xml", "html", "javascript":
            return ["mode": "raw", "raw": content, "options": ["raw": ["language": .string(type)]]]
        default: return ["mode": .string(type)]
        }
    }

    /// Names and values, as a list of objects with `key` and `value`: version 3 also has maps.
    private static func list(_ json: JSON) -> JSON {
        guard let members = json.object else { return json }
        return .array(members.map { ["key": .string($0.name), "value": $0.value] })
    }
}

extension PostmanFolder: DocumentLocations {
    /// The names that version 3 has for members of version 2.1.
    private static let names = [
        "event": "scripts", "exec": "code", "header": "headers", "variable": "variables", "query": "queryParams",
        "protocolProfileBehavior": "settings", "raw": "content", "urlencoded": "content", "formdata": "content",
    ]

    var span: SourceSpan { nodes.first?.node.span ?? environments[0].span(0..<0) }

    /// The location of a value of version 2.1: of the innermost value of its file that has a counterpart.
    func span(at pointer: JSONPointer) -> SourceSpan? {
        let tokens = pointer.tokens.map(\.text)
        guard
            let (prefix, root) = nodes.filter({ tokens.starts(with: $0.pointer) }).max(by: {
                $0.pointer.count < $1.pointer.count
            })
        else { return nil }
        var node = root
        for token in tokens.dropFirst(prefix.count) {
            let element = Int(token).flatMap { index in node.sequence.flatMap { index < $0.count ? $0[index] : nil } }
            if let next = element ?? node[Self.names[token] ?? token] { node = next }
        }
        return node.span
    }

    func keySpan(at pointer: JSONPointer) -> SourceSpan? { nil }
}

extension PostmanFolder.Folder {
    /// Adds the file at a path.
    fileprivate mutating func add(_ node: YAMLNode, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        if name == ".resources" {
            guard path.count > 2 else { return definition = node }
            // `.resources/NAME.resources/examples/ONE.example.yaml`
            let owner = path[path.startIndex + 1]
            examples[owner.hasSuffix(".resources") ? String(owner.dropLast(10)) : owner, default: []].append(node)
        } else if path.count == 1 {
            requests.append((String(name.prefix { $0 != "." }), node))
        } else if let index = folders.firstIndex(where: { $0.name == name }) {
            folders[index].folder.add(node, at: path.dropFirst())
        } else {
            var folder = Self()
            folder.add(node, at: path.dropFirst())
            folders.append((name, folder))
        }
    }
}
