import WaybillDiagnostics

extension Explanation {
    /// About steps whose elements are divided among several processes.
    static let shards: [Explanation] = [
        Explanation(
            "misplaced-shard",
            "the elements of a step cannot be divided among several processes",
            """
            With 'shard: true' in its 'forEach', the elements of a step can be divided among processes ('waybill run
            --shard K/N'). Each process runs the steps before the sharded ones, and its share of the elements; what comes
            after needs all of them, and runs when the shards have been merged. So a sharded step must be part of the
            graph's own chain or batch, cannot use the results of another sharded step, and no other step can be between
            two of them.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - id: orders
                        forEach: {in: range(100), as: id, shard: true}
                        get: "http://127.0.0.1/orders/${id}"
                        outputs: {customer: $.customer}
                      - id: customers
                        forEach: {in: "steps.orders.items[*].outputs.customer", as: id, shard: true}
                        get: "http://127.0.0.1/customers/${id}"
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - id: orders
                        forEach: {in: range(100), as: id, shard: true}
                        chain:
                          - {id: order, get: "http://127.0.0.1/orders/${id}", outputs: {customer: $.customer}}
                          - {get: "http://127.0.0.1/customers/${steps.order.outputs.customer}"}
                """
        ),
        Explanation(
            "nothing-to-shard",
            "a graph has no step whose elements can be divided among several processes",
            """
            'waybill run --shard K/N' and '--phase before' need a step with 'shard: true' in its 'forEach', in each graph
            that is run. Without one, every process would do the same.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {get: "http://127.0.0.1/${id}", forEach: {in: range(9), as: id}, mock: {}}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {get: "http://127.0.0.1/${id}", forEach: {in: range(9), as: id, shard: true}, mock: {}}
                """,
            command: "waybill run manifest.yaml --mock --shard 1/3"
        ),
        Explanation(
            "unsafe-before-shards",
            "every shard would send a request that must be sent once",
            """
            The process of each shard runs the steps before the sharded ones. A request that may change something on the
            server, with a method other than GET or HEAD, would be sent once for each shard. Run these steps once with
            'waybill run --phase before', and continue with 'waybill resume DIR --shard K/N --out …'; or make the step the
            session of its service, or one that comes after the shards.

            With --phase before, the shards find the results of these steps in the folder of the run, but secret outputs
            are not written there. A step whose secret output the shards use would have to run in each of them.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {post: "http://127.0.0.1/jobs", mock: {}}
                      - {get: "http://127.0.0.1/${id}", forEach: {in: range(9), as: id, shard: true}, mock: {}}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {get: "http://127.0.0.1/jobs", mock: {}}
                      - {get: "http://127.0.0.1/${id}", forEach: {in: range(9), as: id, shard: true}, mock: {}}
                """,
            command: "waybill run manifest.yaml --mock --shard 1/3"
        ),
    ]
}
