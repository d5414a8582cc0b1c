/// The values of a script's variables, by scope: those of the whole script, of the function and of the block.
struct ScriptScopes {
    private var scopes: [[String: ScriptValue]] = [[:]]

    /// The number of scopes.
    var depth: Int { scopes.count }

    /// Returns the index of the scope that declares a variable; 0 for none.
    func depth(of name: String) -> Int { scopes.lastIndex { $0[name] != nil } ?? 0 }

    subscript(name: String) -> ScriptValue? {
        get { scopes[depth(of: name)][name] }
        set { scopes[depth(of: name)][name] = newValue }
    }

    mutating func enter(_ names: [String: ScriptValue]) { scopes.append(names) }

    mutating func exit() { scopes.removeLast() }

    /// Makes the values unknown for which the condition holds.
    mutating func forget(where condition: (String, ScriptValue) -> Bool) {
        for index in scopes.indices {
            for (name, value) in scopes[index] where condition(name, value) {
                if case .untranslated = value { continue }
                scopes[index][name] = .unknown(name)
            }
        }
    }
}
