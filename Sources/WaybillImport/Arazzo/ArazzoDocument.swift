import WaybillContract
import WaybillDiagnostics
import WaybillFormats
import WaybillManifest

/// An Arazzo description with what its names refer to (Arazzo 1.1.0, section "Arazzo Specification Object").
struct ArazzoDocument {
    let file: SourceFile
    let root: YAMLNode
    /// The descriptions that it names.
    var sources: [ArazzoSource] = []
    var workflows: [ArazzoWorkflow] = []

    init(_ file: SourceFile, _ root: YAMLNode) { (self.file, self.root) = (file, root) }

    /// The sources that may have operations.
    var services: [ArazzoSource] { sources.filter { $0.kind != "arazzo" } }

    /// Returns an object of `components`, from an expression such as `$components.parameters.page`.
    func component(_ reference: String) -> YAMLNode? {
        guard reference.hasPrefix("$components.") else { return nil }
        let parts = reference.dropFirst(12).split(separator: ".", maxSplits: 1).map(String.init)
        return parts.count == 2 ? root["components"]?[parts[0]]?[parts[1]] : nil
    }
}

/// A description that an Arazzo description names.
struct ArazzoSource {
    var name: String
    var url: String
    /// `openapi`, `asyncapi` or `arazzo`.
    var kind: String
    let node: YAMLNode
    /// The name of the service in the manifest.
    var service = ""
    /// The OpenAPI document, if it is among the sources of the import.
    var document: OpenAPIDocument?
    /// Whether the URL is that of the API itself, and steps name methods and paths.
    var isAddress = false
    /// Whether a step uses it.
    var isUsed = false

    /// Whether the URL ends as that of a file does.
    var namesFile: Bool { [".yaml", ".yml", ".json"].contains { url.lowercased().hasSuffix($0) } }

    /// The last part of the URL.
    var fileName: String { url.split(separator: "/").last.map(String.init) ?? url }

    /// Whether a file of the command line is the one that the URL names.
    func names(_ path: String) -> Bool {
        path.split(separator: "/").last.map { fileName.utf8.elementsEqual($0.utf8) } ?? false
    }
}

/// A workflow, which becomes a graph.
struct ArazzoWorkflow {
    let node: YAMLNode
    let id: String
    /// The name of the graph.
    let graph: String
    var inputs: [ArazzoInput] = []
    /// The names of the inputs that steps of other workflows pass, and those that some of these steps do not pass.
    var passed: Set<String> = []
    var omitted: Set<String> = []
    /// What its steps use and its schema does not have, in order.
    var added: [ManifestEntry] = []
    /// Whether a step or action of another workflow runs it.
    var isCalled = false

    var steps: [YAMLNode] { node["steps"].elements }

}

/// An input of a workflow, or a member of one.
struct ArazzoInput {
    /// The names in the source: `env`, `TOKEN` for `$inputs.env.TOKEN`.
    let path: [String]
    /// The expression for its value.
    let code: String
    /// Its definition as an input of the graph; nil if it is none.
    var definition: ManifestEntry?
    var isSecret = false
}

/// How a step runs a request or a graph.
enum ArazzoTarget {
    case operation(source: Int, name: String, method: String?)
    /// A method and a path of the API at the source's URL, or the URL itself.
    case request(source: Int?, method: String, url: ImportedText)
    case workflow(document: Int, index: Int)
}

/// What later steps can read of a step.
struct ArazzoStep {
    let id: String
    /// The position in the list of steps.
    let position: Int
    /// Whether the step may be skipped.
    var isUncertain = false
    var outputs: [String: ArazzoValue] = [:]
}

/// A value as an expression of the manifest language.
struct ArazzoValue {
    var code: String
    var isUncertain = false
    var isSecret = false
    /// The string, if it is constant.
    var constant: String?
    /// Whether it is a string in a header field, also if it is written with digits.
    var isHeader = false

    /// Creates a value.
    init(code: String, isUncertain: Bool = false, isSecret: Bool = false) {
        (self.code, self.isUncertain, self.isSecret) = (code, isUncertain, isSecret)
    }

    /// Creates a constant.
    init(constant: String) { (code, self.constant) = (ManifestWriter.quoted(constant), constant) }

    /// The expression, which is null if the step that has the value was skipped.
    var expression: String { isUncertain ? "default(\(code), null)" : code }

    /// Returns a value inside this one.
    func appending(_ path: String) -> ArazzoValue {
        var result = self
        result.code += path
        return result
    }
}

extension YAMLNode? {
    /// The elements of a list; none of another node.
    var elements: [YAMLNode] { self?.sequence ?? [] }

    /// The names and values of a mapping; none of another node.
    var members: [(name: String, value: YAMLNode)] {
        (self?.entries ?? []).compactMap { entry in entry.key.text.map { ($0, entry.value) } }
    }
}
