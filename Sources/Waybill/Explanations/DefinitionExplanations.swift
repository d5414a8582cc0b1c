import WaybillDiagnostics

extension Explanation {
    /// About definitions that mean nothing, or not what they seem to.
    static let definitions: [Explanation] = [
        Explanation(
            "unused-definition",
            "something is defined and nothing uses it",
            """
            A service, filter, input, secret, variable or entry of 'data' has a name that nothing in the manifest uses. Often
            what should use it names something else. Take it away if it is not needed any more.

            Nothing is said of graphs and endpoints, which can be run by name, and of included files and files without graphs,
            whose definitions are for others.
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
            "a path can only lead to nothing",
            """
            The path goes on behind a value that has nothing in it, such as a number or a text, or it takes a field of a list, an
            element of an object, or an element that a list is too short for. What inputs can be is known from their schemas, what
            data is from its file.

            Inside default(…) and exists(…) this is a warning, since the expression works without the value.
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
            "an input has the name of a manifest's input of another type",
            """
            An input of an endpoint or graph that a call does not give is taken from the manifest's input of the same name. Here
            the two have different types, so that what is taken may be refused when the step runs. Give one of them another name,
            or both the same type.
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
            "an element has the name of the element around it",
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
