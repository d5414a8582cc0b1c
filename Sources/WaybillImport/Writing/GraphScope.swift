/// The variables of a graph while its steps are written.
struct GraphScope {
    /// The variables that steps of the graph have set, or that the graph receives as inputs, and their expressions.
    private(set) var expressions: [String: String] = [:]
    /// The positions of the variables that steps have set.
    private var order: [String: Int] = [:]
    private var count = 0
    /// The variables that the graph receives as inputs, in order.
    private(set) var needs: [String] = []
    /// The ids of its steps.
    var names = UniqueNames()
    /// Whether the graph or one around it has credentials, which take precedence over those of endpoints.
    var hasAuth = false

    init(hasAuth: Bool) { self.hasAuth = hasAuth }

    /// Notes that a step sets a variable.
    mutating func set(_ variable: String, _ expression: String) {
        expressions[variable] = expression
        order[variable] = count
        count += 1
    }

    /// The variables that steps have set, in order.
    var set: [(variable: String, expression: String)] {
        order.sorted { $0.value < $1.value }.map { ($0.key, expressions[$0.key] ?? "") }
    }

    /// Notes that the graph receives a variable as an input.
    mutating func need(_ variable: String, _ expression: String) {
        expressions[variable] = expression
        needs.append(variable)
    }
}

/// Which requests of a collection use and set its variables.
struct VariableUses {
    /// The position of the last request that uses a variable.
    private var lastUse: [String: Int] = [:]
    /// The number of uses, and of those at the start of a URL.
    private var counts: [String: (all: Int, asBase: Int)] = [:]
    /// The variables that requests set.
    private(set) var set: Set<String> = []
    /// The variables whose values are always strings, and those with another value.
    private(set) var strings: Set<String> = []
    private var others: Set<String> = []
    /// The variables that only statements set which are not imported.
    private(set) var lost: Set<String> = []
    /// The values of the collection's own variables.
    private(set) var values: [String: ImportedText] = [:]
    /// The variables that the source marks as secret.
    private(set) var markedSecret: Set<String> = []

    init(_ collection: ImportedCollection) {
        for variable in collection.variables { values[variable.name] = variable.value }
        markedSecret = Set(
            (collection.variables + collection.environments.flatMap(\.variables)).filter(\.isSecret).map(\.name)
        )
        var position = 0
        var folders = [collection.items[...]]
        add(collection.auth, at: 0)
        while var items = folders.popLast() {
            guard let item = items.popFirst() else { continue }
            folders.append(items)
            switch item {
            case .folder(let folder):
                add(folder.auth, at: position)
                folders.append(folder.items[...])
            case .request(let request):
                add(request, at: position)
                lost.formUnion(request.losses.flatMap(\.variables))
                position += 1
            }
        }
        let known = collection.variables + collection.environments.flatMap(\.variables)
        lost = lost.subtracting(set).subtracting(known.map(\.name))
        strings.subtract(others)
    }

    /// Whether a request after the first `position` ones uses a variable.
    func isUsed(_ variable: String, after position: Int) -> Bool { (lastUse[variable] ?? -1) >= position }

    /// Whether a variable is only used as the start of URLs, and never set.
    func isBase(_ variable: String) -> Bool {
        guard let (all, asBase) = counts[variable] else { return false }
        return all == asBase && !set.contains(variable)
    }

    private mutating func add(_ request: ImportedRequest, at position: Int) {
        let own = Set(request.variables.map(\.name))
        var texts = request.headers.map(\.value) + request.variables.compactMap(\.value)
        texts += request.assignments.map(\.value) + request.checkedTexts
        switch request.body {
        case .text(let text, _): texts.append(text)
        case .form(let fields): texts += fields.map(\.value)
        case .multipart(let parts):
            texts += parts.compactMap { if case .text(let text) = $0.content { text } else { nil } }
        case .graphQL(let query, let variables): texts += [query, variables ?? ""]
        case .file, .bytes, nil: break
        }
        for text in texts { add(text, at: position, except: own) }
        add(request.url, at: position, except: own, isURL: true)
        add(request.auth, at: position)
        for (name, value) in request.assignments {
            if value.literal != nil || Self.isText(value) { strings.insert(name) } else { others.insert(name) }
        }
        for capture in request.captures {
            if Self.isText(capture.expression) {
                strings.insert(capture.variable)
            } else {
                others.insert(capture.variable)
            }
        }
        set.formUnion(request.assignments.map(\.variable))
        set.formUnion(request.captures.map(\.variable))
    }

    /// Whether the value of an expression is certainly a string.
    private static func isText(_ code: ImportedText) -> Bool {
        switch code.parts.first {
        case .literal(let text)?, .expression(let text)?:
            ["'", "\"", "json(", "string(", "concat(", "join(", "replace("].contains { text.hasPrefix($0) }
        default: false
        }
    }

    private mutating func add(_ auth: ImportedAuth?, at position: Int) {
        for member in auth?.members ?? [] { add(member.value, at: position) }
    }

    private mutating func add(_ text: ImportedText, at position: Int, except own: Set<String> = [], isURL: Bool = false)
    {
        for (index, part) in text.parts.enumerated() {
            guard case .variable(let name) = part, !own.contains(name) else { continue }
            lastUse[name] = position
            let isBase = isURL && index == 0 && ServiceAddress.endsBase(text.parts.dropFirst().first)
            let (all, asBase) = counts[name] ?? (0, 0)
            counts[name] = (all + 1, asBase + (isBase ? 1 : 0))
        }
    }
}
