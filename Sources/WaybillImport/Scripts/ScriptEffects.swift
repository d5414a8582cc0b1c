/// What the execution of a part of a script may change.
struct ScriptEffects {
    /// Names of several kinds of change.
    struct Changes {
        /// Variables that receive another value.
        var assigned: Set<String> = []
        /// Variables whose object changes: a member or element of it, but nothing inside of these.
        var members: Set<String> = []
        /// Variables of which anything may change that their objects contain; "" for an unknown object.
        var contents: Set<String> = []
        /// Variables of the collection; "" for all of them.
        var stored: Set<String> = []

        var isEmpty: Bool { assigned.isEmpty && members.isEmpty && contents.isEmpty && stored.isEmpty }

        mutating func formUnion(_ other: Changes) {
            assigned.formUnion(other.assigned)
            members.formUnion(other.members)
            contents.formUnion(other.contents)
            stored.formUnion(other.stored)
        }
    }

    /// What changes as soon as the part is executed.
    private(set) var now = Changes()
    /// What the functions in it change. They may be called at any time.
    private(set) var later = Changes()
    private(set) var variables = Variables()

    /// The variables of a script.
    struct Variables {
        /// Those that receive a function, those that receive a new list or object, and those that receive another value.
        var (functions, created, others): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        /// Those that only ever have a new list or object.
        var own: Set<String> { created.subtracting(others) }
        var all: Set<String> { functions.union(created).union(others) }

        mutating func formUnion(_ other: Self) {
            functions.formUnion(other.functions)
            created.formUnion(other.created)
            others.formUnion(other.others)
        }
    }

    private let script: [UInt8]
    /// The variables of the whole script.
    private let known: Variables

    private init(_ script: [UInt8], known: Variables) { (self.script, self.known) = (script, known) }

    /// The effects of the statements of a script.
    init(script: [UInt8], _ statements: [ScriptStatement]) {
        var first = Self(script, known: Variables())
        for statement in statements { first.add(statement) }
        self.init(script, known: first.variables)
        for statement in statements { add(statement) }
    }

    /// The effects of a part of the same script.
    func effects(of statement: ScriptStatement) -> Changes {
        var result = Self(script, known: known)
        result.add(statement)
        return result.now
    }

    /// Functions and prefixes of functions that change neither variables nor their arguments.
    private static let pure: Set<String> = [
        "console", "JSON", "Math", "Number", "String", "Boolean", "parseInt", "parseFloat", "isNaN", "isFinite",
        "encodeURI", "encodeURIComponent", "decodeURI", "decodeURIComponent", "btoa", "atob", "Date", "Symbol", "Array",
        "Object.keys", "Object.values", "Object.entries", "Object.freeze", "Object.prototype", "Promise", "pm",
        "postman", "bru", "client",
        "request", "req", "expect", "chai", "assert", "tv4", "ajv", "moment", "dayjs", "CryptoJS", "crypto", "uuid",
        "require", "xml2Json", "cheerio", "setTimeout", "clearTimeout", "jsonPath", "_",
    ]
    /// The functions among them that change an argument, or the response.
    private static let impure: Set<String> = [
        "_.set", "_.unset", "_.update", "_.assign", "_.assignIn", "_.extend", "_.merge", "_.mergeWith", "_.defaults",
        "_.defaultsDeep", "_.pull", "_.pullAll", "_.pullAt", "_.remove", "_.fill", "_.reverse",
    ]
    /// Methods that change no object.
    private static let pureMethods: Set<String> = [
        "map", "filter", "find", "findIndex", "findLast", "some", "every", "forEach", "reduce", "includes", "indexOf",
        "lastIndexOf", "join", "slice", "concat", "at", "keys", "values", "entries", "flat", "flatMap", "toString",
        "toSorted", "toReversed", "split", "trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase", "startsWith",
        "endsWith", "substring", "substr", "replace", "replaceAll", "match", "matchAll", "test", "exec", "search",
        "padStart", "padEnd", "charAt", "charCodeAt", "localeCompare", "repeat", "normalize", "toFixed", "toISOString",
        "toJSON", "getTime", "valueOf", "valuesOf", "has", "get", "hasOwnProperty", "json", "text", "format", "then",
        "catch", "finally", "validate",
    ]
    /// Methods that change the object itself.
    private static let changingMethods: Set<String> = [
        "push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin", "set", "add", "delete",
        "clear", "append",
    ]

    // MARK: Statements

    /// Adds statements, which the variables that they declare do not leave.
    mutating func add(_ statements: [ScriptStatement], parameters: [ScriptExpression]? = nil) {
        var inner = Self(script, known: known)
        for statement in statements { inner.add(statement) }
        let declared = Self.declarations(in: statements, isFunction: parameters != nil).map(\.target)
        let names = Set((declared + (parameters ?? [])).flatMap { Self.names(in: $0) })
        for parameter in parameters ?? [] { inner.variables.others.formUnion(Self.names(in: parameter)) }
        now.formUnion(inner.now.leaving(names, own: known.own))
        later.formUnion(inner.later)
        variables.formUnion(inner.variables)
    }

    mutating func add(_ statement: ScriptStatement) {
        switch statement.kind {
        case .empty: break
        case .expression(let expression), .returning(let expression): add(expression)
        case .declaration(let declarations, _):
            for declaration in declarations {
                declare(declaration.target, declaration.value)
                if let value = declaration.value { add(value) }
            }
        case .conditional(let condition, let then, let otherwise):
            add(condition)
            add(then)
            add(otherwise)
        case .attempt(let body, let handler):
            add(body)
            add(handler)
        case .block(let statements): add(statements)
        case .other(let parts):
            if case .declaration? = parts.first?.kind, parts.count == 1 { add(parts[0]) } else { add(parts) }
        case .unread: changeAll(in: String(decoding: script[statement.range], as: UTF8.self))
        }
    }

    /// Any variable that a text names may change.
    private mutating func changeAll(in text: String) {
        let words = Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "$" }.map(String.init))
        now.assigned.formUnion(words.intersection(known.all))
        now.contents.formUnion(words.intersection(known.all.union(["res", "response"])))
        if words.contains(where: { $0.hasPrefix("set") }) { now.stored.insert("") }
    }

    private mutating func declare(_ target: ScriptExpression, _ value: ScriptExpression?) {
        // A module, and what it contains, is what it is without a name, too.
        if let value, Self.isModule(value) { return }
        guard case .name(let name) = target else { return variables.others.formUnion(Self.names(in: target)) }
        switch value {
        case .function?: variables.functions.insert(name)
        case .array?, .object?, .new?: variables.created.insert(name)
        case nil: break
        default: variables.others.insert(name)
        }
    }

    /// Whether a value is a module, or a part of one.
    static func isModule(_ value: ScriptExpression) -> Bool {
        switch value {
        case .call(.name("require"), _), .name("chai"): true
        case .member(let base, _): isModule(base)
        default: false
        }
    }

    /// The declarations of a block; for a function, also those with `var` in its blocks.
    static func declarations(in statements: [ScriptStatement], isFunction: Bool) -> [ScriptStatement.Declaration] {
        func inner(_ statements: [ScriptStatement]) -> [ScriptStatement.Declaration] {
            guard isFunction else { return [] }
            return declarations(
                in: statements.filter { if case .declaration(_, false) = $0.kind { false } else { true } },
                isFunction: true
            )
        }
        return statements.flatMap { statement in
            switch statement.kind {
            case .declaration(let declarations, let isVar): isVar && !isFunction ? [] : declarations
            case .other(let parts):
                if case .declaration(let declarations, false)? = parts.first?.kind, parts.count == 1 {
                    declarations
                } else {
                    inner(parts)
                }
            case .block(let statements): inner(statements)
            case .conditional(_, let then, let otherwise): inner(then + otherwise)
            case .attempt(let body, let handler): inner(body + handler)
            default: [ScriptStatement.Declaration]()
            }
        }
    }

    /// The variables of a pattern.
    static func names(in target: ScriptExpression) -> [String] {
        switch target {
        case .name(let name): [name]
        case .array(let elements): elements.flatMap { names(in: $0) }
        case .object(let members): members.flatMap { names(in: $0.1) }
        case .assignment(_, let target, _), .unary(_, let target): names(in: target)
        default: []
        }
    }

    // MARK: Expressions

    mutating func add(_ expression: ScriptExpression) {
        switch expression {
        case .name, .string, .number, .regex: break
        case .template(_, let values), .array(let values): for value in values { add(value) }
        case .object(let members): for (_, value) in members { add(value) }
        case .member(let base, _), .new(let base): add(base)
        case .index(let base, let index):
            add(base)
            add(index)
        case .unary(let mark, let value):
            add(value)
            if ["++", "--", "delete"].contains(mark) { change(value) }
        case .binary(_, let left, let right):
            add(left)
            add(right)
        case .conditional(let test, let first, let second): for part in [test, first, second] { add(part) }
        case .assignment(let mark, let target, let value):
            add(value)
            if mark == "=" { declare(target, value) }
            change(target)
        case .function(let parameters, let body):
            var inner = Self(script, known: known)
            inner.add(body, parameters: parameters)
            later.formUnion(inner.now)
            later.formUnion(inner.later)
            variables.formUnion(inner.variables)
        case .call(let function, let arguments): add(call: function, arguments)
        }
    }

    /// The target of an assignment changes.
    private mutating func change(_ target: ScriptExpression) {
        switch target {
        case .name(let name): now.assigned.insert(name)
        case .member(.name(let name), _), .index(.name(let name), _):
            if name != "tests" { now.members.insert(name) }
        case .member(let base, _), .index(let base, _): now.contents.formUnion(roots(of: base))
        case .array(let elements): for element in elements { change(element) }
        case .object(let members): for (_, target) in members { change(target) }
        case .assignment(_, let target, _), .unary(_, let target): change(target)
        default: now.contents.insert("")
        }
    }

    private mutating func add(call function: ScriptExpression, _ arguments: [ScriptExpression]) {
        let path = path(of: function)
        // A test is executed at once.
        if path == "pm.test", arguments.count > 1, case .function(let parameters, let body) = arguments[1] {
            add(arguments[0])
            return add(body, parameters: parameters)
        }
        for part in [function] + arguments { add(part) }
        if let path, let (_, change) = ScriptNames.store(path), ["set", "unset", "clear"].contains(change) {
            if change != "clear", case .string(let name)? = arguments.first {
                now.stored.insert(name)
            } else {
                now.stored.insert("")
            }
        }
        if isPure(function) { return }
        var inputs = Set(arguments.flatMap { roots(of: $0) })
        if inputs.remove("pm") != nil { now.stored.insert("") }
        if let path, Self.impure.contains(path) { return now.contents.formUnion(inputs) }
        switch function {
        case .name("eval"): now.contents.insert("")
        case .name(let name) where known.functions.contains(name): break
        case .member(_, let name) where Self.pureMethods.contains(name): break
        case .member(.name("res"), let name) where name.hasPrefix("get"): break
        case .member(.name(let object), let name) where Self.changingMethods.contains(name): now.members.insert(object)
        // A new list may contain parts of others, which do not change with it.
        case .member(.array, let name) where Self.changingMethods.contains(name): break
        case .member(let base, let name) where Self.changingMethods.contains(name):
            now.contents.formUnion(roots(of: base))
        case .member(let base, _), .index(let base, _): now.contents.formUnion(inputs.union(roots(of: base)))
        default: now.contents.formUnion(inputs)
        }
    }

    /// Postman's name of a chain of members; nil for one of a variable.
    private func path(of expression: ScriptExpression) -> String? {
        switch expression {
        case .name(let name): known.all.contains(name) ? nil : ScriptNames.postman(name)
        case .member(let base, let name): path(of: base).map { ScriptNames.postman("\($0).\(name)") }
        default: nil
        }
    }

    /// Whether a function changes nothing: one of the lists, or a word of a sentence of Chai.
    private func isPure(_ function: ScriptExpression) -> Bool {
        if let path = path(of: function) {
            if Self.impure.contains(path) { return false }
            let parts = path.split(separator: ".")
            return (1...2).contains { Self.pure.contains(parts.prefix($0).joined(separator: ".")) }
        }
        var rest = function
        while true {
            switch rest {
            case .member(let base, _): rest = base
            case .call(let function, _):
                if let path = path(of: function) { return path == "pm.expect" || path == "expect" }
                rest = function
            default: return false
            }
        }
    }

    /// The variables whose objects a value may contain, or be.
    private func roots(of expression: ScriptExpression) -> [String] {
        switch expression {
        case .name(let name): return ["true", "false", "null", "undefined"].contains(name) ? [] : [name]
        case .member(let base, _), .index(let base, _), .unary("...", let base), .unary("await", let base):
            return roots(of: base)
        case .call(let function, let arguments):
            // A copy, or a value without members; some functions return a part of an argument.
            let isPart = ["_.", "Object.", "Array.", "Promise."].contains { path(of: function)?.hasPrefix($0) ?? false }
            if !isPart, function != .member(.name("res"), "getBody"), isPure(function) { return [] }
            return roots(of: function) + arguments.flatMap { roots(of: $0) }
        case .conditional(_, let first, let second), .binary("||", let first, let second),
            .binary("&&", let first, let second), .binary("??", let first, let second),
            .binary(",", let first, let second),
            .assignment(_, let first, let second):
            return roots(of: first) + roots(of: second)
        case .array(let values): return values.flatMap { roots(of: $0) }
        case .object(let members): return members.flatMap { roots(of: $0.1) }
        default: return []
        }
    }
}

extension ScriptEffects.Changes {
    /// What remains of the changes where these variables do not exist: those of objects that others may have, too.
    fileprivate func leaving(_ names: Set<String>, own: Set<String>) -> Self {
        var result = self
        result.assigned.subtract(names)
        result.members.subtract(names)
        result.contents.subtract(names)
        if !members.intersection(names).isSubset(of: own) || !contents.isDisjoint(with: names) {
            result.contents.insert("")
        }
        return result
    }
}
