import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// What a run writes to one file comes from one place, and once.
///
/// Only names that are certain are looked at, and steps with a condition may exclude each other: of two that both have
/// one nothing is said.
struct SameFile: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let writings = FileWriting.all(in: subject)
        guard !writings.isEmpty else { return [] }
        let runs = GraphRuns(subject)
        return writings.values.compactMap { finding(of: $0, runs) } + mixtures(in: writings, runs)
    }

    /// The files that one step writes as a database, and another one as something else.
    private func mixtures(
        in writings: OrderedDictionary<FileWriting.Target, [FileWriting]>,
        _ runs: GraphRuns
    ) -> [Diagnostic] {
        writings.compactMap { target, tables in
            guard target.table != nil, let others = writings[FileWriting.Target(path: target.path)],
                let (first, second) = others.lazy.flatMap({ other in tables.lazy.map { [other, $0] } })
                    .compactMap({ runs.firstTogether(of: $0, graph: \.graph, isConditional: \.isConditional) }).first
            else { return nil }
            return Diagnostic(
                "same-file",
                "one step writes the file as a database, and another one as something else",
                at: second.place,
                secondary: [.init(first.place, "the other step")],
                help: ["Give each a name of its own."]
            )
        }
    }

    private func finding(of writings: [FileWriting], _ runs: GraphRuns) -> Diagnostic? {
        if let repeated = writings.first(where: { $0.repeatedBy != nil }), let loop = repeated.repeatedBy {
            return Diagnostic(
                "same-file",
                "each element would write the same file",
                at: repeated.path,
                secondary: [.init(loop.span, "once for each element")],
                help: [
                    "Put something of the element into the name, such as ${\(loop.variable.value)}, or a member of it."
                ]
            )
        }
        if let (first, second) = runs.firstTogether(of: writings, graph: \.graph, isConditional: \.isConditional) {
            let isShared = second.path == first.path
            return Diagnostic(
                "same-file",
                "two steps would write the same file",
                at: second.place,
                secondary: [.init(first.place, "the other step")] + (isShared ? [.init(first.path, "the file")] : []),
                help: ["Give each a name of its own."]
            )
        }
        for writing in writings {
            guard let places = runs.repetition(of: writing.graph) else { continue }
            return Diagnostic(
                "same-file",
                "each run of graph '\(writing.graph)' would write the same file",
                at: writing.path,
                secondary: places.map { .init($0, "it is run here") },
                help: ["Give the graph an input, and put that into the name."]
            )
        }
        return nil
    }
}

/// One step that writes a file whose name is certain.
private struct FileWriting {
    /// What it writes to. The tables of a database are files of their own.
    struct Target: Hashable {
        /// The path of the file, normalised.
        let path: String
        /// The name of the table in lower case: case does not tell tables apart.
        var table: String?
    }

    /// Where the path stands.
    let path: SourceSpan
    /// Where the step is to be pointed at.
    let place: SourceSpan
    /// The graph of the step.
    let graph: String
    /// What lets it happen more than once, if something in its graph does.
    let repeatedBy: ForEach?
    /// Whether a condition decides about it.
    let isConditional: Bool

    /// All in the graphs of a manifest.
    static func all(in subject: RuleSubject) -> OrderedDictionary<Target, [FileWriting]> {
        var writings: OrderedDictionary<Target, [FileWriting]> = [:]
        func add(
            _ path: ScalarTemplate,
            in folder: String = "",
            table: String? = nil,
            of site: StepSite,
            at place: SourceSpan,
            _ loop: ForEach?
        ) {
            guard let text = path.constantText, let name = ResultPath.normalized(folder + text), !text.hasSuffix("/")
            else { return }
            let writing = FileWriting(
                path: path.span,
                place: place,
                graph: site.graph.name.value,
                repeatedBy: loop,
                isConditional: site.isConditional
            )
            writings[Target(path: name, table: table?.lowercased()), default: []].append(writing)
        }
        subject.forEachStep { site in
            let step = site.step
            // One file takes the records of all elements of the step itself.
            if let write = step.flow?.write {
                add(write.to, table: write.table?.value, of: site, at: write.to.span, site.loopAround)
            }
            guard let to = site.download?.to else { return }
            // Equal downloads with `duplicates` are meant to meet.
            let request = subject.requests.of(site)
            if request?.unknown.contains(.duplicates) == true { return }
            if let mode = request?.merged.duplicates?.value.mode, mode != .allow { return }
            var folder = ""
            if let setting = request?.merged.downloads {
                guard let text = setting.value.constantText else { return }
                folder = text + "/"
            }
            let place = if case .call(let call) = step.action { call.name.span } else { to.span }
            add(to, in: folder, of: site, at: place, step.flow?.forEach ?? site.loopAround)
        }
        return writings
    }
}

extension StepSite {
    /// The innermost `forEach` around the step.
    var loopAround: ForEach? { around.lazy.reversed().compactMap { $0.flow?.forEach }.first }

    /// Whether a condition decides about the step, its own or one around it.
    var isConditional: Bool { step.isConditional || around.contains(where: \.isConditional) }
}

extension Step {
    fileprivate var isConditional: Bool { flow?.when != nil || unknown.contains(.condition) }
}

extension StepSite {
    /// The download of the step or of the endpoint that it calls.
    var download: Download? {
        if let endpoint { return endpoint.request.download }
        if case .request(let definition) = step.action { return definition.download }
        return nil
    }
}
