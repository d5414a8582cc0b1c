import WaybillDiagnostics
import WaybillManifest

/// Where an expression stands, which says what its names mean.
final class UseLocation: Sendable {
    /// The level that it was written at.
    let level: Level
    /// What declares inputs at that level, if it does.
    let declarations: Declarations?
    /// The graph that it is part of.
    let graph: GraphSite?
    /// The step that it belongs to.
    let step: StepSite?
    /// The variables of the `forEach` around it, outer to inner.
    let loopVariables: [Spanned<String>]
    /// The variables of the request that it belongs to.
    let vars: [VariableDefinition]
    /// The sessions that `session` can be.
    let sessions: [SessionDefinition]
    /// What is not known of the names: variables of requests, those of `forEach`, sessions.
    let unknown: UnknownParts
    /// Whether it is evaluated for each request, which then decides between several sessions.
    let isOfRequest: Bool

    /// The inputs that an endpoint or a graph declares.
    struct Declarations: Sendable {
        /// The inputs.
        let inputs: Definitions<InputDeclaration>
        /// How many inputs other endpoints and graphs declare before.
        let start: Int
        /// Whether no other inputs may be declared, which cannot be told because of a mistake.
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
        unknown: UnknownParts = .nothing,
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
