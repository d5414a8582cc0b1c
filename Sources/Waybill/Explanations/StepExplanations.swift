import WaybillDiagnostics

extension Explanation {
    /// About what steps use of each other.
    static let steps: [Explanation] = [
        Explanation(
            "step-not-run",
            "a step is used that has not surely run before",
            """
            steps.ID can be used by what runs after that step: by later steps of its chain, and by what follows a batch
            that it is in. Steps of a batch run side by side, so none of them knows another.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    batch:
                      - {id: user, get: "http://127.0.0.1/user"}
                      - {get: "http://127.0.0.1/users/${steps.user.data.id}"}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user"}
                      - {get: "http://127.0.0.1/users/${steps.user.data.id}"}
                """
        ),
        Explanation(
            "uncertain-step",
            "a step is used that may have failed",
            """
            The run goes on when that step fails, and then it has no data. Say what is to be taken instead with
            default(steps.ID.data, VALUE), or ask with exists(…) or steps.ID.ok.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user", onFailure: continue}
                      - {get: "http://127.0.0.1/users/${steps.user.data.id}"}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user", onFailure: continue}
                      - {get: "http://127.0.0.1/users/${default(steps.user.data.id, 0)}"}
                """
        ),
    ]
}
