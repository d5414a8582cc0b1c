import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

@testable import WaybillPlan

/// An error that a person could make in a manifest: a replacement of a few bytes.
struct Mutation: Sendable {
    /// The kinds of mutation.
    enum Sort: String, Sendable, CaseIterable {
        /// A key of the language is misspelt.
        case key
        /// A value has another type.
        case type
        /// A reference to a definition of the manifest has another name.
        case name
        /// A name in the path of an expression is replaced.
        case path
        /// An entry of a mapping is duplicated.
        case duplicate
    }

    let sort: Sort
    /// The bytes to replace.
    let range: Range<Int>
    /// The new bytes.
    let replacement: String

    /// The source with the mutation.
    func applied(to bytes: [UInt8]) -> [UInt8] {
        Array(bytes[..<range.lowerBound]) + Array(replacement.utf8) + Array(bytes[range.upperBound...])
    }
}

/// Makes every mutation of a manifest, each on its own.
struct MutationMaker {
    private(set) var mutations: [Mutation] = []
    /// The mutations that the YAML reader itself reports.
    private(set) var duplicates: [Mutation] = []
    /// The number of places that were left alone because anything is valid there, by reason.
    private(set) var leftAlone: [String: Int] = [:]

    init(_ root: YAMLNode, _ manifest: Manifest) {
        visit(root, at: [], isFree: false)
        visitDuplicates(root)
        visitPaths(of: manifest, in: root.span.file)
    }

    // MARK: Duplicate entries

    private mutating func visitDuplicates(_ node: YAMLNode) {
        for element in node.sequence ?? [] { visitDuplicates(element) }
        guard let mapping = node.mapping else { return }
        let bytes = node.span.file.bytes
        let isFlow = bytes[node.span.range.lowerBound] == UInt8(ascii: "{")
        for (key, value) in mapping.entries {
            visitDuplicates(value)
            let (start, end) = (key.span.range.lowerBound, value.span.range.upperBound)
            guard value.text != nil, key.span.start.line == value.span.end.line, start < end else { continue }
            let entry = String(decoding: bytes[start..<end], as: UTF8.self)
            let indentation = String(repeating: " ", count: key.span.start.column - 1)
            let replacement = entry + (isFlow ? ", " : "\n" + indentation) + entry
            duplicates.append(Mutation(sort: .duplicate, range: start..<end, replacement: replacement))
        }
    }

    // MARK: Keys, types, names

    /// Mappings whose names the manifest chooses itself, identified by their key.
    private static let namedByManifest: Set<String> = [
        "headers", "query", "params", "form", "with", "variables", "vars", "outputs", "values", "inputs", "secrets",
        "data",
        "environments", "services", "endpoints", "graphs", "rename", "set", "resolve", "properties",
    ]

    /// Keys where any value is valid.
    private static let anyValue: Set<String> = [
        "json", "plist", "recover", "map", "default", "vars", "ok", "const", "params",
    ]

    private mutating func visit(_ node: YAMLNode, at path: [String], isFree: Bool) {
        switch node.content {
        case .scalar: break
        case .sequence(let elements):
            for element in elements {
                change(element, at: path + ["[]"], isFree: isFree)
                visit(element, at: path + ["[]"], isFree: isFree)
            }
        case .mapping(let mapping):
            for (key, value) in mapping.entries {
                guard let name = key.text else { continue }
                if isFree {
                    leftAlone["a key of free content", default: 0] += 1
                } else if Self.areNamesChosen(in: path) {
                    rename(key, at: path)
                } else {
                    mutations.append(Mutation(sort: .key, range: key.span.range, replacement: Self.misspelt(name)))
                }
                let inner = path + [name]
                let isFreeInside = isFree || Self.isAnything(inner)
                change(value, at: inner, isFree: isFreeInside)
                visit(value, at: inner, isFree: isFreeInside)
            }
        }
    }

    private static func areNamesChosen(in path: [String]) -> Bool {
        guard let last = path.last else { return false }
        if path == ["filters"] { return true }
        // The 'query' and 'headers' of a body or part have fixed keys only if they are not mappings of names.
        return namedByManifest.contains(last)
    }

    private static func isAnything(_ path: [String]) -> Bool {
        guard let last = path.last else { return false }
        if path.suffix(2) == ["mock", "body"] || path.suffix(3) == ["mock", "[]", "body"] { return true }
        if path.dropLast().last == "params" || path.dropLast().last == "variables" || path.dropLast().last == "form" {
            return true
        }
        if last == "query", path.contains("graphql") { return false }
        return anyValue.contains(last) && !areNamesChosen(in: path) || path.dropLast().last == "vars"
    }

    /// Renames a key of a mapping of names: the inputs of a call and the definitions that an environment changes must
    /// exist; other names are free.
    private mutating func rename(_ key: YAMLNode, at path: [String]) {
        let isOfCall = path.last == "with"
        let isOfEnvironment = path.count == 3 && path[0] == "environments" && path[2] != "defaults"
        if isOfCall || isOfEnvironment {
            mutations.append(Mutation(sort: .name, range: key.span.range, replacement: (key.text ?? "") + "x"))
        } else {
            leftAlone["a name that the manifest chooses", default: 0] += 1
        }
    }

    private mutating func change(_ value: YAMLNode, at path: [String], isFree: Bool) {
        if isFree {
            leftAlone["a value that may be anything", default: 0] += 1
            return
        }
        let isText = value.text != nil
        mutations.append(
            Mutation(sort: .type, range: value.span.range, replacement: isText ? "{wrong: [type]}" : "7.5")
        )
        if isText, let name = value.text, Self.isReference(path) {
            mutations.append(Mutation(sort: .name, range: value.span.range, replacement: name + "x"))
        }
    }

    /// Whether the value at a path is a reference to a definition.
    private static func isReference(_ path: [String]) -> Bool {
        if path.last == "[]" {
            return ["needs", "include"].contains(path.dropLast().last) || path.dropLast().last == "filters"
        }
        if ["call", "service", "filter", "graph"].contains(path.last) { return !path.contains("awsSigV4") }
        return path.suffix(2) == ["page", "input"] || path.suffix(2) == ["file", "data"]
    }

    private static func misspelt(_ name: String) -> String {
        guard name.count > 3 else { return name + "x" }
        var letters = Array(name)
        letters.remove(at: letters.count / 2)
        return String(letters)
    }

    // MARK: Paths of expressions

    private mutating func visitPaths(of manifest: Manifest, in file: SourceFile) {
        var found: [Mutation] = []
        var shapes = 0
        for site in RuleSubject(manifest).references.sites where site.text.span.file == file {
            let reference = site.reference
            let root = site.span(of: reference.nameRange)
            found.append(Mutation(sort: .path, range: root.range, replacement: reference.name + "x"))
            let known = Self.knownDepth(
                of: reference,
                isLoopVariable: site.location.loopVariables.contains { $0.value == reference.name }
            )
            for (depth, segment) in reference.segments.enumerated() {
                guard let name = segment.name else { continue }
                guard depth < known else {
                    shapes += 1
                    continue
                }
                let span = site.span(of: segment.range)
                found.append(Mutation(sort: .path, range: span.range, replacement: name + "x"))
            }
        }
        var seen: Set<Range<Int>> = []
        mutations += found.filter { seen.insert($0.range).inserted }
        leftAlone["a member of a response, whose shape is known only when it comes", default: 0] += shapes
    }

    /// The number of names after the first that are known before anything is sent.
    private static func knownDepth(of reference: Reference, isLoopVariable: Bool) -> Int {
        // Values guarded by 'default' and 'exists' may be absent, except for the names of definitions.
        if isLoopVariable { return reference.isGuarded ? 0 : 1 }
        switch reference.name {
        case "inputs", "secrets", "data", "vars", "session", "run", "request": return 1
        case "manifest": return 2
        case "response": return 1
        case "steps":
            return reference.segments.dropFirst().first?.name == "outputs" && !reference.isGuarded ? 3 : 2
        default: return 0
        }
    }
}
