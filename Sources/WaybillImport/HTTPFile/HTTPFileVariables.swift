import WaybillDiagnostics
import WaybillExpressions

/// The variables of `.http` files, and what `{{…}}` stands for.
struct HTTPFileVariables {
    /// A variable of a file.
    private struct Definition {
        var name: String
        /// The block that defines it.
        var block: Int
        var text: ImportedText
        /// The variable of the collection; nil if its value is not constant, which is written where it is used.
        var variable: String?
    }

    /// The variables whose values are constant.
    private(set) var variables: [ImportedVariable] = []
    /// Their positions, by name.
    private var positions: [String: Int] = [:]
    /// The names of the variables of all files, and of captured values.
    private var names = UniqueNames()
    private var definitions: [String: [Definition]] = [:]
    /// The block that is being read.
    var block = 0
    /// The names of the requests that have been read, and their positions.
    private var requests: [String: Int] = [:]
    /// What later requests use of the responses, by position of the request.
    private(set) var captures: [Int: [ImportedCapture]] = [:]
    private var captured: [String: String] = [:]
    /// The number of references that a text may still have.
    private var remaining = 0
    /// What the text that was read last does not express.
    private(set) var losses: [(what: String, reason: String)] = []

    /// Starts another file, with its variables.
    mutating func start(_ blocks: [HTTPFileBlock]) {
        (definitions, requests, captured) = ([:], [:], [:])
        var all: [Definition] = []
        for (index, block) in blocks.enumerated() {
            for (name, value) in block.definitions {
                let text = BracedText.text(Self.unescaped(value)) { .variable($0) }
                all.append(Definition(name: name, block: index, text: text))
            }
        }
        // What refers to a computed value is computed, too.
        var users: [String: [String]] = [:]
        for definition in all {
            for name in definition.text.variables { users[name, default: []].append(definition.name) }
        }
        var computed: Set<String> = []
        var open = users.filter { Self.isComputed($0.key) }.flatMap(\.value)
        while let name = open.popLast() {
            if computed.insert(name).inserted { open += users[name] ?? [] }
        }
        for (index, definition) in all.enumerated() where !computed.contains(definition.name) {
            let isKnown = positions[definition.name].map { variables[$0].value == definition.text } ?? false
            let variable = isKnown ? definition.name : names.add(NameForms.kept(definition.name) ?? "value")
            all[index].variable = variable
            if !isKnown { append(ImportedVariable(name: variable, value: definition.text)) }
        }
        definitions = Dictionary(grouping: all, by: \.name)
        for definition in all {
            guard let index = definition.variable.flatMap({ positions[$0] }) else { continue }
            block = definition.block
            variables[index].value = text(definition.text)
        }
    }

    private mutating func append(_ variable: ImportedVariable) {
        positions[variable.name] = variables.count
        variables.append(variable)
    }

    /// Adds the variables of environments.
    mutating func add(_ shared: [ImportedVariable]) {
        for variable in shared where positions[variable.name] == nil {
            append(variable)
            _ = names.add(variable.name)
        }
    }

    /// Adds a request that later ones may refer to.
    mutating func add(request name: String, at position: Int) { requests[name] = position }

    /// `\n`, `\r` and `\t` are control characters; any other character after `\` means itself.
    private static func unescaped(_ text: String) -> String {
        guard text.contains("\\") else { return text }
        return text.replacing(#/\\(.)/#) { match in
            ["n": "\n", "r": "\r", "t": "\t"][match.1] ?? String(match.1)
        }
    }

    // MARK: References

    /// Returns a text with its references.
    mutating func text(_ string: String) -> ImportedText {
        text(BracedText.text(string) { .variable($0) })
    }

    private mutating func text(_ text: ImportedText) -> ImportedText {
        remaining = 1000
        return resolved(text, depth: 0)
    }

    /// Returns and forgets what could not be expressed.
    mutating func takeLosses() -> [(what: String, reason: String)] {
        defer { losses = [] }
        return losses
    }

    /// The definition of a variable that counts in a block: the last before it, or the first.
    private func definition(of name: String) -> Definition? {
        definitions[name]?.last { $0.block <= block } ?? definitions[name]?.first
    }

    /// Whether a reference has a value only when a request is sent.
    private static func isComputed(_ name: String) -> Bool {
        name.hasPrefix("$") && !name.hasPrefix("$shared ") || reference(name) != nil
    }

    private mutating func resolved(_ text: ImportedText, depth: Int) -> ImportedText {
        var result = ImportedText()
        for part in text.parts {
            guard case .variable(let name) = part else {
                result.append(part)
                continue
            }
            result.append(value(of: name, depth: depth))
        }
        return result
    }

    private mutating func value(of name: String, depth: Int) -> ImportedText {
        if name.hasPrefix("$") { return dynamic(name) }
        if name.hasPrefix("%") { return value(of: String(name.dropFirst()), depth: depth) }
        if let reference = Self.reference(name) { return capture(name, reference) }
        guard let definition = definition(of: name) else {
            if name.contains(where: { "()'\"".contains($0) }) { lose(name, "it is a script") }
            return .ofVariable(name)
        }
        if let variable = definition.variable { return .ofVariable(variable) }
        remaining -= 1
        guard depth < 20, remaining > 0 else {
            lose(name, "its value has too many references")
            return .ofVariable(name)
        }
        return resolved(definition.text, depth: depth + 1)
    }

    private mutating func lose(_ name: String, _ reason: String) {
        let what = "the value '{{\(name)}}'"
        if !losses.contains(where: { $0.what == what }) { losses.append((what, reason)) }
    }

    // MARK: Responses of earlier requests

    /// What a name such as `login.response.body.$.token` refers to.
    private static func reference(_ name: String) -> (request: String, isResponse: Bool, part: String, path: String)? {
        guard name.contains(".response.") || name.contains(".request."),
            let match = name.wholeMatch(of: #/([\w-]+)\.(response|request)\.(body|headers)\.(.+)/#)
        else { return nil }
        return (String(match.1), match.2 == "response", String(match.3), String(match.4))
    }

    private mutating func capture(
        _ name: String,
        _ reference: (request: String, isResponse: Bool, part: String, path: String)
    ) -> ImportedText {
        if let variable = captured[name] { return .ofVariable(variable) }
        let expression: (code: String, name: String)? =
            reference.part == "headers"
            ? ("response.headers[\(ManifestWriter.quoted(reference.path))]", SecretNames.secret(for: reference.path))
            : reference.path == "*" ? ("response.body", "body") : Self.expression(ofPath: reference.path)
        let variable = names.add(expression?.name ?? NameForms.identifier(name) ?? "value")
        captured[name] = variable
        if !reference.isResponse {
            lose(name, "a value of an earlier request; repeat it")
        } else if let expression, let position = requests[reference.request] {
            captures[position, default: []].append(ImportedCapture(variable, ImportedText(expression.code)))
        } else if expression == nil {
            lose(name, "only simple JSON paths are imported")
        } else {
            lose(name, "no earlier request has the name '\(reference.request)'")
        }
        return .ofVariable(variable)
    }

    /// Returns the expression for a JSONPath, of whose values the first counts, and a name; nil for another path.
    private static func expression(ofPath path: String) -> (code: String, name: String)? {
        // What is valid without operators is a path.
        guard path.first == "$", !path.contains(where: { "?()+/%<>=&|".contains($0) }), !path.contains(" "),
            (try? Expression(parsing: path)) != nil
        else { return nil }
        let code = path.replacing(#/\[(?:'([A-Za-z_]\w*)'|"([A-Za-z_]\w*)")\]/#) { ".\($0.1 ?? $0.2 ?? "")" }
        let name = path.matches(of: #/[A-Za-z_][\w-]*/#).last.map { String($0.0) } ?? "body"
        return (HurlTranslator.isSingular(ImportedText(code)) ? code : "first(\(code))", name)
    }

    // MARK: Values of the tool

    private mutating func dynamic(_ name: String) -> ImportedText {
        let words = name.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
        let argument = words.count > 1 ? words[1].trimmingSpaces : ""
        let expression: String?
        switch words[0] {
        case "$guid", "$uuid", "$random.uuid": expression = "uuid()"
        case "$isoTimestamp": expression = "now()"
        case "$timestamp": expression = Self.seconds(argument)
        case "$datetime": expression = Self.date(argument)
        case "$shared": return .ofVariable(argument)
        case "$processEnv" where !argument.hasPrefix("%"), "$dotenv" where !argument.hasPrefix("%"):
            return environmentVariable(argument)
        case _ where words[0].hasPrefix("$env."): return environmentVariable(String(words[0].dropFirst("$env.".count)))
        default: expression = nil
        }
        if let expression { return ImportedText([.expression(expression)]) }
        let isToken = words[0].hasPrefix("$auth.") || words[0].hasPrefix("$aad")
        lose(name, isToken ? "a run receives the token as a secret" : "give one as an input")
        return ImportedText([.variable(isToken ? "token" : NameForms.identifier(words[0]) ?? "value")])
    }

    /// A variable whose value a run takes from the environment.
    private mutating func environmentVariable(_ name: String) -> ImportedText {
        if positions[name] == nil {
            var variable = ImportedVariable(name: name, value: nil)
            variable.environmentVariable = name
            append(variable)
            _ = names.add(name)
        }
        return .ofVariable(name)
    }

    /// The seconds since 1970, perhaps with an offset such as `-3 h`; nil if it is not a number of seconds.
    private static func seconds(_ offset: String) -> String? {
        if offset.isEmpty { return "epoch()" }
        let units = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let match = offset.wholeMatch(of: #/(-?)(\d{1,9})\s+([smhdw])/#), let unit = units[String(match.3)],
            let count = Int(match.2)
        else { return nil }
        return "epoch() \(match.1.isEmpty ? "+" : "-") \(count * unit)"
    }

    /// The current time in a format: `iso8601`, `rfc1123` or `'YYYY-MM-DD'`.
    private static func date(_ text: String) -> String? {
        guard let match = text.wholeMatch(of: #/(iso8601|rfc1123|'[^']*'|"[^"]*")(?:\s+(.*))?/#),
            let time = seconds(match.2.map(String.init) ?? "")
        else { return nil }
        let now = match.2 == nil ? "now()" : time
        switch match.1 {
        case "iso8601": return match.2 == nil ? "now()" : "date(\(time))"
        case "rfc1123": return "date(\(now), '%a, %d %b %Y %T GMT')"
        default: break
        }
        let names = ["YYYY": "%Y", "MM": "%m", "DD": "%d", "HH": "%H", "mm": "%M", "ss": "%S", "SSS": "%L"]
        var format = ""
        var rest = match.1.dropFirst().dropLast()
        while let first = rest.first {
            let letters = rest.prefix { $0 == first }
            if first.isLetter, first != "T" {
                guard let name = names[String(letters)] else { return nil }
                format += name
            } else {
                guard !"%[]\\".contains(first) else { return nil }
                format += letters
            }
            rest = rest[letters.endIndex...]
        }
        return "date(\(now), \(ManifestWriter.quoted(format)))"
    }
}
