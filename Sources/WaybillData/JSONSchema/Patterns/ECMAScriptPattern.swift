/// A regular expression of ECMA-262 with its `u` flag, as JSON Schema's `pattern` and `patternProperties` have it.
///
/// Swift's `Regex` has other ideas of `\d`, `\w`, `\s` and `$`, may take exponential time, and cannot be shared between
/// threads. This one takes time linear in the string (save for back references, whose work is bounded).
struct ECMAScriptPattern: Sendable {
    /// The pattern as it was written.
    let source: String
    private let program: PatternProgram

    /// Compiles a pattern.
    init(_ source: String) throws(ECMAScriptPatternError) {
        self.source = source
        var parser = PatternParser(source)
        let syntax = try parser.parse()
        var compiler = PatternCompiler(tracksCaptures: parser.hasBackreferences)
        program = try compiler.compile(syntax, groups: parser.groupCount)
    }

    /// Whether the pattern is found anywhere in a string.
    func matches(_ string: String) -> Bool {
        var string = string
        return string.withUTF8(matches)
    }

    /// Whether the pattern is found anywhere in a string in UTF-8.
    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool { PatternMatcher.finds(program, in: text) }
}

/// Why a pattern cannot be compiled.
struct ECMAScriptPatternError: Error, Equatable {
    /// What is wrong, and at which character of the pattern.
    let message: String
}
