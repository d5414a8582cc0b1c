import WaybillDiagnostics

extension Explanation {
    /// About names of definitions and steps: those that are not defined, or defined twice.
    static let names: [Explanation] = [
        Explanation(
            "unknown-endpoint",
            "a step calls an endpoint that is not defined",
            """
            'call' names an entry of 'endpoints', here or in an included file. Names are case-sensitive, and the dots
            of a name such as 'home.index' are part of it.
            """,
            wrong: """
                waybill: 1
                endpoints: {schedule: {url: "http://127.0.0.1/schedule"}}
                graphs: {main: {chain: [{call: schedule}, {call: shedule}]}}
                """,
            right: """
                waybill: 1
                endpoints: {schedule: {url: "http://127.0.0.1/schedule"}}
                graphs: {main: {chain: [{call: schedule}, {id: again, call: schedule}]}}
                """
        ),
        Explanation(
            "unknown-service",
            "a request names a service that is not defined",
            """
            'service' names an entry of 'services', here or in an included file. An environment can only change
            services that the manifest defines.
            """,
            wrong: """
                waybill: 1
                services: {orders: {baseURL: "http://127.0.0.1/"}}
                graphs: {main: {chain: [{get: /a}, {get: /b, service: order}]}}
                """,
            right: """
                waybill: 1
                services: {orders: {baseURL: "http://127.0.0.1/"}}
                graphs: {main: {chain: [{get: /a}, {get: /b, service: orders}]}}
                """
        ),
        Explanation(
            "unknown-filter",
            "a filter is not defined",
            """
            A string in a list of filters names an entry of 'filters', here or in an included file. An inline stage is
            a mapping, such as {select: $.results}.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", filters: [unwrap]}]}}
                """,
            right: """
                waybill: 1
                filters: {unwrap: [{select: $.results}]}
                graphs: {main: {chain: [{get: "http://127.0.0.1/", filters: [unwrap]}]}}
                """
        ),
        Explanation(
            "unknown-graph",
            "a graph is not defined",
            """
            The graph to run is not under 'graphs', here or in an included file.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", mock: {}}]}}
                """,
            right: """
                waybill: 1
                graphs: {nightly: {chain: [{get: "http://127.0.0.1/", mock: {}}]}}
                """,
            command: "waybill run manifest.yaml --mock --graph nightly"
        ),
        Explanation(
            "no-graph",
            "the graph to run is ambiguous",
            """
            By default, 'main' or the only graph is run. If there are several and no 'main', select one with --graph.
            """,
            wrong: """
                waybill: 1
                graphs:
                  daily: {chain: [{get: "http://127.0.0.1/", mock: {}}]}
                  hourly: {chain: [{get: "http://127.0.0.1/", mock: {}}]}
                """,
            right: """
                waybill: 1
                graphs:
                  main: {chain: [{get: "http://127.0.0.1/", mock: {}}]}
                  hourly: {chain: [{get: "http://127.0.0.1/", mock: {}}]}
                """,
            command: "waybill run manifest.yaml --mock"
        ),
        Explanation(
            "unknown-environment",
            "an environment is not defined",
            """
            --env names an entry of 'environments'. Without --env no environment is applied.
            """,
            wrong: """
                waybill: 1
                environments: {dev: {}}
                """,
            right: """
                waybill: 1
                environments: {dev: {}, staging: {}}
                """,
            command: "waybill validate manifest.yaml --env staging"
        ),
        Explanation(
            "duplicate-id",
            "two steps of a graph have the same id",
            """
            steps.ID could mean either of them. Without 'id', the id of a call is the last part of its endpoint's
            name, so two calls of one endpoint need different ids.
            """,
            wrong: """
                waybill: 1
                endpoints: {user: {url: "http://127.0.0.1/user"}}
                graphs: {main: {chain: [{call: user}, {call: user}]}}
                """,
            right: """
                waybill: 1
                endpoints: {user: {url: "http://127.0.0.1/user"}}
                graphs: {main: {chain: [{call: user}, {id: user-again, call: user}]}}
                """
        ),
    ]
}
