import WaybillDiagnostics

extension Explanation {
    /// About filters and graphs that contain themselves, or are nested too deeply.
    static let nesting: [Explanation] = [
        Explanation(
            "filter-cycle",
            "a filter contains itself",
            """
            A filter names a filter that leads back to it, so its list of stages would never end.
            """,
            wrong: """
                waybill: 1
                filters: {unwrap: [{select: $.results}, unwrap]}
                defaults: {filters: [unwrap]}
                """,
            right: """
                waybill: 1
                filters: {unwrap: [{select: $.results}], first: [unwrap, {select: "$[0]"}]}
                defaults: {filters: [first]}
                """
        ),
        Explanation(
            "filter-nesting",
            "nested filters exceed a limit",
            """
            A filter may name other filters, up to 100 levels deep, and may have at most 10,000 stages, including
            those of the filters in it. Without such limits, a few lines could describe billions of stages.
            """,
            wrong: """
                waybill: 1
                filters:
                  a: [{limit: 9}, {limit: 9}, {limit: 9}, {limit: 9}, {limit: 9}, {limit: 9}, {limit: 9}, {limit: 9}]
                  b: [a, a, a, a, a, a, a, a]
                  c: [b, b, b, b, b, b, b, b]
                  d: [c, c, c, c, c, c, c, c]
                  e: [d, d, d, d, d, d, d, d]
                defaults: {filters: [e]}
                """,
            right: """
                waybill: 1
                filters:
                  a: [{limit: 9}]
                  b: [a, {flatten: true}]
                defaults: {filters: [b]}
                """
        ),
        Explanation(
            "graph-cycle",
            "a graph runs itself",
            """
            A step of the graph runs a graph that leads back to it, so the run would never end. To repeat something,
            use 'forEach', 'until' or 'paginate'.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/"}, {graph: main}]}}
                """,
            right: """
                waybill: 1
                graphs:
                  main: {chain: [{graph: once}]}
                  once: {chain: [{get: "http://127.0.0.1/"}]}
                """
        ),
        Explanation(
            "graph-nesting",
            "graphs that run each other are nested too deep",
            """
            A graph may run another one, which runs a third one, and so on, up to 256 levels. Each level uses memory
            for every element that is in flight, and its names are part of the path of every step inside it. With the
            graphs that it runs, a graph has at most 100,000 steps, or 20,000 if steps run them with settings; a graph
            counts once for each step that runs it.
            """,
            wrongCommand: """
                (echo '{waybill: 1, graphs: {'; for n in $(seq 256); do echo "g$n: {chain: [{graph: g$((n + 1))}]},"; done
                echo 'g257: {chain: [{get: "http://127.0.0.1/"}]}}}') > manifest.yaml; \(usualCommand)
                """,
            rightCommand: """
                (echo '{waybill: 1, graphs: {'; for n in $(seq 255); do echo "g$n: {chain: [{graph: g$((n + 1))}]},"; done
                echo 'g256: {chain: [{get: "http://127.0.0.1/"}]}}}') > manifest.yaml; \(usualCommand)
                """
        ),
    ]
}
