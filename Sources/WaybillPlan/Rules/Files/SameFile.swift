import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillRuntime

/// A run must write each file only once, and compare only one response with each snapshot.
///
/// Only constant names are checked. Two conditional steps are ignored, because they may exclude each other.
struct SameFile: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let writings = FileWriting.all(in: subject)
        guard !writings.isEmpty else { return [] }
        let runs = GraphRuns(subject)
        return writings.compactMap { diagnostic(of: $0.value, $0.key, runs) } + overlaps(of: writings, runs)
    }

    /// Returns errors for files that one step writes as a database, and another one in another format, and for files at the
    /// path of a folder of another file.
    private func overlaps(
        of writings: OrderedDictionary<FileWriting.Target, [FileWriting]>,
        _ runs: GraphRuns
    ) -> [Diagnostic] {
        typealias File = (target: FileWriting.Target, writing: FileWriting)
        let files = writings.flatMap { target, writings in
            writings.map { (path: target.path.text + (target.isFolder ? "/" : ""), file: (target, $0)) }
        }
        let pairs = FileOverlap.pairs(of: files) { (outer: File, inner: File) in
            guard outer.target.isSnapshot == inner.target.isSnapshot, !outer.target.isFolder else { return false }
            let isMixture = (outer.target.table == nil) != (inner.target.table == nil)
            guard isMixture || inner.target.isFolder || outer.target.path != inner.target.path else { return false }
            return FileWriting.firstTogether(of: [outer.writing, inner.writing], runs) != nil
        }
        return pairs.map { (outer: File, inner: File) in
            if outer.target.path != inner.target.path || inner.target.isFolder {
                return Diagnostic(
                    "same-file",
                    "'\(outer.target.path.text)' would be both a file and a folder of this file",
                    at: inner.writing.path,
                    secondary: [.init(outer.writing.path, "the file")],
                    help: ["Give each a name of its own."]
                )
            }
            let isOneStep = outer.writing.step == inner.writing.step
            let (first, second) =
                outer.target.table == nil ? (outer.writing, inner.writing) : (inner.writing, outer.writing)
            return Diagnostic(
                "same-file",
                isOneStep
                    ? "the step writes the file both as a database and in another format"
                    : "one step writes the file as a database, and another one in another format",
                at: second.location,
                secondary: [.init(first.location, isOneStep ? "also here" : "the other step")],
                help: ["Give each a name of its own."]
            )
        }
    }

    private func diagnostic(
        of writings: [FileWriting],
        _ target: FileWriting.Target,
        _ runs: GraphRuns
    ) -> Diagnostic? {
        if target.isFolder { return nil }
        let action = target.isSnapshot ? "be compared with the same snapshot" : "write the same file"
        if let repeated = writings.first(where: { $0.repeatedBy != nil }), let loop = repeated.repeatedBy {
            return Diagnostic(
                "same-file",
                "each element would write the same file",
                at: repeated.path,
                secondary: [.init(loop.span, "once for each element")],
                help: [
                    "Make the name depend on the element: use ${\(loop.variable.value)}, or a member of it."
                ]
            )
        }
        for writing in writings where !writing.keepsRounds {
            guard let span = writing.rounds ?? runs.rounds(of: writing.graph) else { continue }
            return Diagnostic(
                "same-file",
                "each round of 'until' would replace the file of the one before",
                at: writing.path,
                secondary: [.init(span, "repeated here")],
                help: [
                    "Use a result of a step in the name, write to a table with 'key', or write once: after the rounds, or with 'when'."
                ]
            )
        }
        if let (first, second) = FileWriting.firstTogether(of: writings, runs) {
            let isShared = second.path == first.path
            let isOneStep = first.step == second.step
            return Diagnostic(
                "same-file",
                isOneStep ? "the step would \(action) twice" : "two steps would \(action)",
                at: second.location,
                secondary: [.init(first.location, isOneStep ? "also here" : "the other step")]
                    + (isShared ? [.init(first.path, target.isSnapshot ? "the snapshot" : "the file")] : []),
                help: ["Give each a name of its own."]
            )
        }
        for writing in writings {
            guard let paths = runs.repetition(of: writing.graph) else { continue }
            return Diagnostic(
                "same-file",
                "each run of graph '\(writing.graph)' would \(action)",
                at: writing.path,
                secondary: paths.map { .init($0, "run here") },
                help: [
                    target.isSnapshot
                        ? "Use 'json', 'schema' or conditions for these."
                        : "Give the graph an input, and use it in the name."
                ]
            )
        }
        return nil
    }
}

/// A step that writes a file with a constant name, or compares its data with a snapshot, which an update writes.
private struct FileWriting {
    /// The target of a step. Each table of a database counts as a file.
    struct Target: Hashable {
        /// The path of the file, normalised.
        let path: CodePoints
        /// The name of the table in lower case, because table names are case-insensitive.
        var table: String?
        /// Whether it is a snapshot. Its path is relative to the manifest, that of other files to the results.
        var isSnapshot = false
        /// Whether it is only the folder of files, whose names are computed or come from responses.
        var isFolder = false
    }

    /// The span of the step.
    let step: SourceSpan
    /// The span of the path.
    let path: SourceSpan
    /// The span to report for the step.
    let location: SourceSpan
    /// The graph of the step.
    let graph: String
    /// The enclosing `forEach` that repeats it, if there is one.
    let repeatedBy: ForEach?
    /// The span of an enclosing `until` whose rounds all run the step.
    let rounds: SourceSpan?
    /// Whether the target keeps what each round writes, or is written in one round only.
    let keepsRounds: Bool
    /// Whether the step runs only under a condition.
    let isConditional: Bool

    /// Returns the first two of some writings that can both be part of one run; first those of one step.
    static func firstTogether(of writings: [FileWriting], _ runs: GraphRuns) -> (FileWriting, FileWriting)? {
        var first: [SourceSpan: FileWriting] = [:]
        for writing in writings {
            if let other = first.updateValue(writing, forKey: writing.step) { return (other, writing) }
        }
        return runs.firstTogether(of: writings, graph: \.graph, isConditional: \.isConditional)
    }

    /// Returns all steps of a manifest's graphs that write files or have snapshots, by their target.
    static func all(in subject: RuleSubject) -> OrderedDictionary<Target, [FileWriting]> {
        var writings: OrderedDictionary<Target, [FileWriting]> = [:]
        func add(
            _ path: ScalarTemplate,
            in folder: String = "",
            table: String? = nil,
            of site: StepSite,
            at location: SourceSpan,
            _ loop: ForEach?,
            keepsRounds: Bool = false
        ) {
            guard let text = path.constantText ?? ResultPath.constantFolder(of: path) else { return }
            let isFolder = text.utf8.last == UInt8(ascii: "/")
            let name = CodePoints(ResultPath.normalized(folder + text))
            if isFolder, name == "" { return }
            let table = isFolder ? nil : table?.lowercased()
            let target = Target(path: name, table: table, isFolder: isFolder)
            add(target, path.span, of: site, at: location, loop, keepsRounds: keepsRounds)
        }
        func add(
            _ target: Target,
            _ path: SourceSpan,
            of site: StepSite,
            at location: SourceSpan,
            _ loop: ForEach?,
            keepsRounds: Bool
        ) {
            let writing = FileWriting(
                step: site.step.span,
                path: path,
                location: location,
                graph: site.graph.name.value,
                repeatedBy: loop,
                rounds: site.roundsAround,
                keepsRounds: keepsRounds || site.step.isConditional,
                isConditional: site.isConditional
            )
            writings[target, default: []].append(writing)
        }
        for site in subject.steps {
            let step = site.step
            // A file receives the records of all elements of the step.
            for write in step.flow?.writes ?? [] {
                let (table, keeps) = (write.table?.value, !write.key.isEmpty)
                add(write.to, table: table, of: site, at: write.to.span, site.loopAround, keepsRounds: keeps)
            }
            // The elements and pages of one step are the concern of `SnapshotSharing`.
            if let snapshot = subject.requests.of(site).lazy.compactMap({ $0.snapshot }).first {
                let path = snapshot.value.namedFile.path
                let target = Target(
                    path: CodePoints(ResultPath.normalized(path.value)),
                    isSnapshot: true
                )
                let location = if case .call(let call) = step.action { call.name.span } else { path.span }
                add(target, path.span, of: site, at: location, nil, keepsRounds: true)
            }
            guard let to = site.download?.to else { continue }
            // Equal downloads with `duplicates` may share a file.
            let request = subject.requests.of(site).first
            if request?.unknown.contains(DuplicatePolicy.key) == true { continue }
            if let mode = request?.merged.duplicates?.value.mode, mode != .allow { continue }
            var folder = ""
            if let setting = request?.merged.downloads {
                guard let text = setting.value.constantText else { continue }
                folder = text + "/"
            }
            let location = if case .call(let call) = step.action { call.name.span } else { to.span }
            add(to, in: folder, of: site, at: location, step.flow?.forEach ?? site.loopAround)
        }
        return writings
    }
}

extension StepSite {
    /// The innermost enclosing `forEach`.
    var loopAround: ForEach? { around.lazy.reversed().compactMap { $0.flow?.forEach }.first }

    /// The span of the innermost enclosing `until` whose rounds all run the step.
    var roundsAround: SourceSpan? {
        let inner = around.reversed().prefix { !$0.isConditional || $0.flow?.until != nil }
        return inner.lazy.compactMap { $0.flow?.until?.span }.first
    }

    /// Whether the step or an enclosing one runs only under a condition.
    var isConditional: Bool { (around + [step]).contains(where: \.isConditional) }

    /// The download of the step or of the endpoint that it calls.
    var download: Download? {
        if let endpoint { return endpoint.request.download }
        if case .request(let definition) = step.action { return definition.download }
        return nil
    }
}

extension Step {
    /// Whether the step runs only under a condition of its own.
    fileprivate var isConditional: Bool { flow?.when != nil || unknown.contains(.condition) }
}

/// The graphs that run other graphs, and those that may therefore run more than once in one run.
struct GraphRuns {
    /// A step that runs a graph.
    private struct Run {
        let caller: String
        let span: SourceSpan
        let loop: ForEach?
        /// The span of the `until` whose rounds all run the graph.
        let rounds: SourceSpan?
        let isConditional: Bool
    }

    private var runs: [String: [Run]] = [:]
    private var repetitions: [String: [SourceSpan]] = [:]
    private var ancestors: [String: Set<String>] = [:]

    /// The maximum number of steps that are inspected to find out which graphs run others indirectly. Normal manifests
    /// have far fewer steps; a manifest made to exceed the limit is not checked further.
    private static let budget = 100_000

    init(_ subject: RuleSubject) {
        for site in subject.steps {
            guard case .graph(let call) = site.step.action, !site.callsUnknown else { continue }
            runs[call.name.value, default: []].append(
                Run(
                    caller: site.graph.name.value,
                    span: call.name.span,
                    loop: site.step.flow?.forEach ?? site.loopAround,
                    rounds: site.step.flow?.until?.span ?? (site.step.isConditional ? nil : site.roundsAround),
                    isConditional: site.isConditional
                )
            )
        }
        collectAncestors()
        collectRepetitions()
    }

    /// Returns the spans that make a graph run more than once; `nil` if it runs at most once.
    func repetition(of graph: String) -> [SourceSpan]? { repetitions[graph] }

    /// Returns the span of an `until` whose rounds all run a graph.
    ///
    /// - Parameter depth: The maximum number of graphs that run each other.
    func rounds(of graph: String, depth: Int = 16) -> SourceSpan? {
        guard depth > 0 else { return nil }
        return runs[graph]?.lazy.compactMap { run in
            run.rounds ?? (run.isConditional ? nil : rounds(of: run.caller, depth: depth - 1))
        }.first
    }

    /// Returns the first two of some things in graphs that can both be part of one run. Two conditional things are
    /// ignored, because they may exclude each other.
    func firstTogether<Thing>(
        of things: some Sequence<Thing>,
        graph: (Thing) -> String,
        isConditional: (Thing) -> Bool
    ) -> (Thing, Thing)? {
        // By each graph that would run it: the first thing, and the first unconditional thing.
        var any: [String: (index: Int, thing: Thing)] = [:]
        var certain: [String: (index: Int, thing: Thing)] = [:]
        for (index, thing) in things.enumerated() {
            let name = graph(thing)
            let roots = ancestors[name] ?? [name]
            let isConditional = isConditional(thing)
            let others = roots.compactMap { isConditional ? certain[$0] : any[$0] }
            if let other = others.min(by: { $0.index < $1.index }) { return (other.thing, thing) }
            for root in roots {
                if any[root] == nil { any[root] = (index, thing) }
                if !isConditional, certain[root] == nil { certain[root] = (index, thing) }
            }
        }
        return nil
    }

    /// Collects, for each graph that another one runs, the graph itself and all graphs that run it directly or
    /// indirectly.
    private mutating func collectAncestors() {
        var left = Self.budget
        for graph in runs.keys {
            var seen: Set<String> = [graph]
            var waiting = [graph]
            while let next = waiting.popLast(), left > 0 {
                for run in runs[next] ?? [] {
                    left -= 1
                    if seen.insert(run.caller).inserted { waiting.append(run.caller) }
                }
            }
            ancestors[graph] = seen
        }
    }

    private mutating func collectRepetitions() {
        for (graph, runs) in runs { repetitions[graph] = directRepetition(runs) }
        var callees: [String: Set<String>] = [:]
        for (graph, runs) in runs {
            for run in runs { callees[run.caller, default: []].insert(graph) }
        }
        // A graph that a repeated graph runs is repeated too.
        var waiting = Array(repetitions.keys)
        while let graph = waiting.popLast() {
            for callee in callees[graph] ?? [] where repetitions[callee] == nil {
                repetitions[callee] = repetitions[graph]
                waiting.append(callee)
            }
        }
    }

    private func directRepetition(_ runs: [Run]) -> [SourceSpan]? {
        if let loop = runs.first(where: { $0.loop != nil }) { return [loop.span] }
        return firstTogether(of: runs, graph: \.caller, isConditional: \.isConditional).map { [$0.span, $1.span] }
    }
}
