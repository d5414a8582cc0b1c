import WaybillFormats

/// The parts of the page around the failures and the steps.
extension HTMLReport {
    /// The start of the page, up to the style.
    static func head(of runs: [RunResult]) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" \
        content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(outcome(of: runs).rawValue): \(title(of: runs))</title>
        <style>

        """
    }

    /// The end of the head, and the page's heading.
    static func header(of runs: [RunResult]) -> HTML {
        let outcome = outcome(of: runs)
        return """
            </style>
            </head>
            <body>
            <a class="skip" href="#steps">Skip to the steps</a>
            <header class="page \(outcome.rawValue)">
            <h1><span class="outcome">\(outcome.rawValue)</span> \(title(of: runs))</h1>
            \(facts(of: runs))
            </header>
            <main>

            """
    }

    /// The heading of the failures.
    static let failuresStart: HTML = """
        <section id="failures" aria-labelledby="failures-heading">
        <h2 id="failures-heading">Failures</h2>

        """

    /// The section of the warnings; empty without any.
    static func warnings(of runs: [ReportedRun]) -> HTML {
        var items: [HTML] = []
        for run in runs {
            let prefix = run.result.prefix(among: runs.count)
            items += ReportedWarnings(of: run).allLines.map { "<li>\(prefix)\($0)</li>\n" }
        }
        if items.isEmpty { return "" }
        return """
            <section id="warnings" aria-labelledby="warnings-heading">
            <h2 id="warnings-heading">Warnings</h2>
            <ul>
            \(.joined(items))</ul>
            </section>

            """
    }

    /// The maximum number of operations of a document on the page.
    private static let shownOperations = 1_000

    /// The section of the coverage of OpenAPI documents; empty without any.
    static func coverage(of documents: [ContractCoverage]) -> HTML {
        if documents.isEmpty { return "" }
        let sections = documents.map { document in
            let rest = document.operations.count - shownOperations
            return """
                <details>
                <summary><b>\(document.document)</b> \(document.summary)</summary>
                <table>
                <thead><tr><th scope="col">Operation</th><th scope="col">Seen</th><th scope="col">Not seen</th>\
                <th scope="col">Undeclared</th></tr></thead>
                <tbody>
                \(.joined(document.operations.prefix(shownOperations).map(row)))</tbody>
                </table>
                \(rest > 0 ? "<p>\(rest) more are in run.json.</p>\n" as HTML : "")</details>

                """ as HTML
        }
        return """
            <section id="coverage" aria-labelledby="coverage-heading">
            <h2 id="coverage-heading">Coverage</h2>
            \(.joined(sections))</section>

            """
    }

    private static func row(of operation: ContractCoverage.Operation) -> HTML {
        let responses = operation.responses
        let groups = [
            responses.filter { $0.isDeclared && $0.isSeen }, responses.filter { !$0.isSeen },
            responses.filter { !$0.isDeclared },
        ]
        let cells = groups.map { "<td>\($0.map(\.name).joined(separator: ", "))</td>" as HTML }
        let id = operation.id.map { " \($0)" } ?? ""
        return """
            <tr class="\(operation.isCalled ? "passed" : "skipped")"><th scope="row">\(operation.name)\(id)</th>\
            \(operation.isCalled ? .joined(cells) : "<td colspan=\"3\">not called</td>" as HTML)</tr>

            """
    }

    /// The section of the steps, which the script fills, and the end of the page's content.
    static func steps(isEmpty: Bool) -> HTML {
        """
        <section id="steps" aria-labelledby="steps-heading" tabindex="-1">
        <h2 id="steps-heading">Steps</h2>
        <noscript><p>The list of steps needs JavaScript. All of it is in <code>run.json</code> of the run's folder.</p></noscript>
        <form id="tools" role="search" hidden>
        <label for="search">Search</label>
        <input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="name, URL, status or message">
        <kbd aria-hidden="true">/</kbd>
        <div id="outcomes" role="group" aria-label="Outcomes"></div>
        <p id="count" role="status"></p>
        </form>
        <p id="legend" aria-hidden="true" hidden><span class="dns">DNS</span> <span class="connect">connect</span> \
        <span class="tls">TLS</span> <span class="wait">wait</span> <span class="receive">receive</span> \
        <span class="whole">whole step</span></p>
        <div id="rows" role="list" aria-labelledby="steps-heading"></div>
        \(isEmpty ? "<p>There are no steps.</p>" as HTML : "")
        </section>
        </main>

        """
    }

    /// The facts of a run; of several, the start of the first one and the sums.
    private static func facts(of runs: [RunResult]) -> HTML {
        var counts = OutcomeCounts()
        for run in runs { for outcome in StepOutcome.allCases { counts[outcome] += run.counts[outcome] } }
        let time = runs.reduce(Duration.zero) { $0 + $1.time }
        var facts = [
            ("Started", runs.map(\.startedAt).min()?.description ?? ""),
            (runs.count == 1 ? "Duration" : "Sum of durations", "\(time.secondsText) s"), ("Steps", counts.summary),
        ]
        if let run = runs.first, runs.count == 1 {
            if let times = run.responseTimes { facts.append(("Response times", times.description)) }
            facts.append(("Manifest", run.manifest))
            if let environment = run.environment { facts.append(("Environment", environment)) }
            if let part = run.part { facts.append(("Part", part)) }
            facts.append(("Run", run.id.description))
        }
        if runs.contains(where: \.isMocked) {
            facts.append(("Server", "the mock server; nothing was sent to another one"))
        }
        let items = facts.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" as HTML }
        return "<dl>\(.joined(items))</dl>"
    }

    /// The section of the runs, if there are several.
    static func table(of runs: [RunResult]) -> HTML {
        if runs.count < 2 { return "" }
        let columns: [(name: String, value: (RunResult) -> String)] = [
            ("Steps", \.counts.summary), ("Duration", { "\($0.time.secondsText) s" }),
            ("Response times", { $0.responseTimes?.description ?? "" }),
            ("Environment", { $0.isMocked ? "mock" : $0.environment ?? "" }), ("Run", \.id.description),
        ].filter { column in runs.contains { !column.value($0).isEmpty } }
        let heads = columns.map { "<th scope=\"col\">\($0.name)</th>" as HTML }
        let rows = runs.enumerated().map { index, run in
            let cells = columns.map { "<td data-name=\"\($0.name)\">\($0.value(run))</td>" as HTML }
            return """
                <tr class="\(run.outcome.rawValue)"><td><span class="outcome">\(run.outcome.rawValue)</span></td>\
                <th scope="row"><a href="#run=\(index + 1)">\(run.manifest)</a></th>\(.joined(cells))</tr>

                """ as HTML
        }
        return """
            <section id="runs" aria-labelledby="runs-heading">
            <h2 id="runs-heading">Runs</h2>
            <div class="scroll" tabindex="0" role="region" aria-label="Runs">
            <table>
            <thead><tr><th scope="col">Outcome</th><th scope="col">Manifest</th>\(.joined(heads))</tr></thead>
            <tbody>
            \(.joined(rows))</tbody>
            </table>
            </div>
            </section>

            """
    }

    /// Returns what the outcome in front of it applies to: the manifest, or how many of the manifests.
    private static func title(of runs: [RunResult]) -> String {
        if runs.count == 1 { return runs[0].manifest }
        let outcome = outcome(of: runs)
        let count = runs.count { $0.outcome == outcome }
        return (count == runs.count ? "" : "\(count) of ") + "\(runs.count) manifests"
    }

    private static func outcome(of runs: [RunResult]) -> RunOutcome {
        if runs.contains(where: { $0.outcome == .failed }) { return .failed }
        return runs.contains { $0.outcome == .interrupted } ? .interrupted : .passed
    }
}
