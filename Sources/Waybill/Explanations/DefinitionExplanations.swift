import WaybillDiagnostics

extension Explanation {
    /// About definitions that have no effect, or not the expected one.
    static let definitions: [Explanation] = [
        Explanation(
            "unused-definition",
            "a definition is never used",
            """
            A service, filter, input, secret, variable or entry of 'data' has a name that nothing in the manifest
            uses. Often a reference to it has another name by mistake. Remove the definition if it is no longer
            needed.

            A session is used if an expression reads one of its outputs, such as session.token. Otherwise it is never
            fetched.

            Graphs and endpoints are not reported, because they can be run by name. Included files and files without
            graphs are not reported either, because their definitions are for other files.
            """,
            wrong: """
                waybill: 1
                inputs: {city: {type: string, default: Bergen}, town: {type: string, default: Bergen}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/${inputs.city}"}]}}
                """,
            right: """
                waybill: 1
                inputs: {city: {type: string, default: Bergen}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/${inputs.city}"}]}}
                """
        ),
        Explanation(
            "empty-reference",
            "a path can never have a value",
            """
            The path continues after a value that has nothing inside, such as a number or a string, or it selects a
            member of a list, an element of an object, or an element after the end of a list. The possible values of
            inputs are known from their schemas, those of data from its file.

            Inside default(…) and exists(…) this is a warning, because the expression works without the value.
            """,
            wrong: """
                waybill: 1
                inputs: {city: {type: string, default: Bergen}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/${inputs.city.name}"}]}}
                """,
            right: """
                waybill: 1
                inputs: {city: {type: string, default: Bergen}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/${inputs.city}"}]}}
                """
        ),
        Explanation(
            "shadowed-input",
            "an input has the same name as a manifest's input of another type",
            """
            If a call does not set an input of an endpoint or graph, the input takes the value of the manifest's input
            with the same name. Here the two have different types, so that value may be rejected when the step runs.
            Rename one of them, or give both the same type.
            """,
            wrong: """
                waybill: 1
                inputs: {page: {type: integer, default: 1}}
                endpoints:
                  list: {url: "http://127.0.0.1/${inputs.page}", inputs: {page: string}}
                graphs: {main: {chain: [{call: list, with: {page: first}}, {get: "http://127.0.0.1/${inputs.page}"}]}}
                """,
            right: """
                waybill: 1
                inputs: {number: {type: integer, default: 1}}
                endpoints:
                  list: {url: "http://127.0.0.1/${inputs.page}", inputs: {page: string}}
                graphs: {main: {chain: [{call: list, with: {page: first}}, {get: "http://127.0.0.1/${inputs.number}"}]}}
                """
        ),
        Explanation(
            "shadowed-name",
            "an element has the same name as the element of an outer 'forEach'",
            """
            Inside the inner 'forEach' the name means the inner element, and the outer one cannot be used.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - forEach: {in: [orders, wishes], as: name}
                        chain:
                          - {forEach: {in: [a, b], as: name}, get: "http://127.0.0.1/${name}"}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - forEach: {in: [orders, wishes], as: list}
                        chain:
                          - {forEach: {in: [a, b], as: name}, get: "http://127.0.0.1/${list}/${name}"}
                """
        ),
    ]
}
