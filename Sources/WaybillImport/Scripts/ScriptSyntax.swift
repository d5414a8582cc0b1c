/// An expression of JavaScript.
indirect enum ScriptExpression: Equatable {
    case name(String)
    case string(String)
    case number(String)
    case regex(String, flags: String)
    case template([String], [ScriptExpression])
    case member(ScriptExpression, String)
    case index(ScriptExpression, ScriptExpression)
    case call(ScriptExpression, [ScriptExpression])
    case new(ScriptExpression)
    /// An operator before or after a value; also `...`, and `[]` of a computed name of a member.
    case unary(String, ScriptExpression)
    case binary(String, ScriptExpression, ScriptExpression)
    case conditional(ScriptExpression, ScriptExpression, ScriptExpression)
    case assignment(String, ScriptExpression, ScriptExpression)
    /// A function without a name; an arrow's expression is a statement that returns it.
    case function(parameters: [ScriptExpression], body: [ScriptStatement])
    case array([ScriptExpression])
    case object([(String, ScriptExpression)])

    static func == (left: ScriptExpression, right: ScriptExpression) -> Bool { "\(left)" == "\(right)" }
}

/// A statement of JavaScript.
struct ScriptStatement: Equatable {
    indirect enum Kind: Equatable {
        case expression(ScriptExpression)
        case declaration([Declaration], isVar: Bool = false)
        case conditional(ScriptExpression, then: [ScriptStatement], otherwise: [ScriptStatement])
        case attempt([ScriptStatement], handler: [ScriptStatement])
        case block([ScriptStatement])
        case empty
        /// The end of a function.
        case returning(ScriptExpression)
        /// A statement that is never translated, such as a loop, and its parts.
        case other([ScriptStatement])
        /// What the parser does not read, such as a class.
        case unread
    }

    /// A variable, or a pattern of several, and its first value.
    struct Declaration: Equatable {
        var target: ScriptExpression
        var value: ScriptExpression?
    }

    var kind: Kind
    /// The bytes of the script that it consists of.
    var range: Range<Int>
}
