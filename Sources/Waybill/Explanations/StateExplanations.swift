import WaybillDiagnostics

extension Explanation {
    /// About values that a graph keeps from run to run.
    static let states: [Explanation] = [
        Explanation(
            "unknown-state",
            "a value of the state is not defined",
            """
            state.NAME is a value that the graph keeps from run to run. It is declared under 'state' of the same
            graph, with its value in the first run (default) and an expression for the next run (next). It is not
            available in endpoints: pass it as an input.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    state: {since: {default: 0, next: steps.orders.data.last}}
                    chain: [{id: orders, get: "http://127.0.0.1/orders?after=${state.sinse}"}]
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    state: {since: {default: 0, next: steps.orders.data.last}}
                    chain: [{id: orders, get: "http://127.0.0.1/orders?after=${state.since}"}]
                """
        ),
        Explanation(
            "state-in-step",
            "a step runs a graph that has a state",
            """
            The state of a graph is stored once, when the whole run has passed. A graph that a step runs may run
            several times or not at all, so it cannot have a state. Declare the state in the graph that is run by
            itself, and pass the value with the step.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main: {chain: [{graph: orders}]}
                  orders:
                    state: {since: {default: 0, next: steps.list.data.last}}
                    chain: [{id: list, get: "http://127.0.0.1/orders?after=${state.since}"}]
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    state: {since: {default: 0, next: steps.orders.outputs.last}}
                    chain: [{graph: orders, with: {since: "${state.since}"}}]
                  orders:
                    inputs: {since: integer}
                    chain: [{id: list, get: "http://127.0.0.1/orders?after=${inputs.since}"}]
                    outputs: {last: steps.list.data.last}
                """
        ),
        Explanation(
            "state-changed",
            "a resumed run does not store its state",
            """
            A resumed run keeps the state that it started with. If another run, or 'waybill state set', has stored a
            newer state in the meantime, that one is kept: otherwise the next run would start from an older state.
            """,
            wrongCommand: """
                waybill run manifest.yaml --mock --state s.json --out out > run.txt; sed -i '$d' out/events.ndjson
                waybill state set manifest.yaml --state s.json since 7; waybill resume ./out
                """,
            rightCommand: """
                waybill run manifest.yaml --mock --state s.json --out out > run.txt; sed -i '$d' out/events.ndjson
                waybill resume ./out; waybill state show manifest.yaml --state s.json
                """,
            files: [
                (
                    "manifest.yaml",
                    """
                    waybill: 1
                    graphs:
                      main:
                        state: {since: {default: 0, next: steps.list.data.last}}
                        chain: [{id: list, get: "http://127.0.0.1/", mock: {body: {last: 5}}}]
                    """
                )
            ]
        ),
        Explanation(
            "shared-state",
            "two manifests of a suite have the same state",
            """
            The states of a manifest are stored in a file of its own, under the name that the manifest states. Two
            manifests with the same 'name' would overwrite each other's states. A manifest without 'name' has a file
            named by its path.
            """,
            wrongCommand: "waybill run a.yaml b.yaml",
            rightCommand: "waybill run a.yaml b.yaml --mock",
            files: [
                (
                    "a.yaml",
                    """
                    waybill: 1
                    name: pull
                    graphs:
                      main:
                        state: {since: {default: 0, next: steps.list.data.last}}
                        chain: [{id: list, get: "http://127.0.0.1:1/a", mock: {body: {last: 5}}}]
                    """
                ),
                (
                    "b.yaml",
                    """
                    waybill: 1
                    name: pull
                    graphs:
                      main:
                        state: {since: {default: 0, next: steps.list.data.last}}
                        chain: [{id: list, get: "http://127.0.0.1:1/b", mock: {body: {last: 5}}}]
                    """
                ),
            ]
        ),
        Explanation(
            "state-moved",
            "the state of an earlier version was taken over",
            """
            Earlier versions named the file of a state by the file name of the manifest, so two manifests with the same
            file name shared it. Now a manifest without 'name' has a file named by its path. The first run of such a
            manifest takes over the earlier file.
            """
        ),
    ]
}
