import WaybillDiagnostics
import WaybillManifest

/// The location of an expression, which determines the meaning of its names.
final class UseLocation: Sendable {
    /// The level that it is written at.
    let level: Level
    /// The inputs that are declared at that level, if it can declare any.
    let declarations: Declarations?
    /// The graph that it is part of.
    let graph: GraphSite?
    /// The step that it belongs to.
    let step: StepSite?
    /// The variables of the enclosing `forEach` steps, from the outermost in.
    let loopVariables: [Spanned<String>]
    /// The variables of the request that it belongs to.
    let vars: [VariableDefinition]
    /// The sessions that `session` may refer to.
    let sessions: [SessionDefinition]
    /// The names that are not known: variables of requests, those of `forEach`, sessions.
    let unknown: UnknownParts
    /// Whether it is evaluated for each request, which decides between several sessions.
    let isOfRequest: Bool

    /// The inputs that an endpoint or a graph declares.
    struct Declarations: Sendable {
        /// The inputs.
        let inputs: Definitions<InputDeclaration>
        /// The number of inputs that earlier endpoints and graphs declare.
        let start: Int
        /// Whether all declared inputs are known; an error in the manifest may hide others.
        let areAllKnown: Bool
    }

    init(
        level: Level,
        declarations: Declarations? = nil,
        graph: GraphSite? = nil,
        step: StepSite? = nil,
        loopVariables: [Spanned<String>] = [],
        vars: [VariableDefinition] = [],
        sessions: [SessionDefinition] = [],
        unknown: UnknownParts = [],
        isOfRequest: Bool = true
    ) {
        self.level = level
        self.declarations = declarations
        self.graph = graph
        self.step = step
        self.loopVariables = loopVariables
        self.vars = vars
        self.sessions = sessions
        self.unknown = unknown
        self.isOfRequest = isOfRequest
    }
}
