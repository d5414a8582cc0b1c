import WaybillDiagnostics

extension Explanation {
    /// About names in expressions that are not defined.
    static let expressionNames: [Explanation] = [
        Explanation(
            "unknown-name",
            "a name in an expression is not defined there",
            """
            A bare name in an expression is a path into the values that are available there: 'inputs', 'secrets',
            'steps', 'response' and so on. Not everything is available everywhere: there is no 'response' while a
            request is being built, and an endpoint cannot use the steps of its callers; pass what it needs as an
            input.

            A string is written in quotes, 'like this'. With 'waybill eval', only '$' is available, the value of the
            file.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", expect: {body: [$.state == open]}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/", expect: {body: [$.state == 'open']}}]}}
                """
        ),
        Explanation(
            "unknown-input",
            "an input is not declared",
            """
            A value is set for an input that the endpoint or the manifest does not have, or an expression uses an
            input that is not available there. Inside an endpoint, inputs.NAME is the endpoint's input or, if it has
            none with that name, the manifest's.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{get: "http://127.0.0.1/users/${inputs.id}"}]}}
                """,
            right: """
                waybill: 1
                inputs: {id: {type: integer, default: 1}}
                graphs: {main: {chain: [{get: "http://127.0.0.1/users/${inputs.id}"}]}}
                """
        ),
        Explanation(
            "unknown-secret",
            "a secret is not declared",
            """
            secrets.NAME is used, but 'secrets' has no such entry. Every secret is declared there with its source.
            """,
            wrong: """
                waybill: 1
                defaults: {auth: {bearer: "${secrets.token}"}}
                """,
            right: """
                waybill: 1
                secrets: {token: {env: API_TOKEN}}
                defaults: {auth: {bearer: "${secrets.token}"}}
                """
        ),
        Explanation(
            "unknown-data",
            "a data file is not declared",
            """
            data.NAME is used, or changed by an environment, but 'data' has no such entry. Every file is declared
            under 'data' with its path.
            """,
            wrong: """
                waybill: 1
                data: {users: {file: users.json}}
                graphs: {main: {chain: [{forEach: {in: data.user, as: id}, get: "http://127.0.0.1/${id}"}]}}
                """,
            right: """
                waybill: 1
                data: {users: {file: users.json}}
                graphs: {main: {chain: [{forEach: {in: data.users, as: id}, get: "http://127.0.0.1/${id}"}]}}
                """,
            files: [("users.json", "[1, 2]")]
        ),
        Explanation(
            "unknown-variable",
            "a variable is not defined",
            """
            vars.NAME is a value that the same request or endpoint computes under 'vars'. Variables of other requests
            cannot be used.
            """,
            wrong: """
                waybill: 1
                endpoints:
                  user: {url: "http://127.0.0.1/", vars: {key: "${uuid()}"}, headers: {X-Key: "${vars.kee}"}}
                graphs: {main: {chain: [{call: user}]}}
                """,
            right: """
                waybill: 1
                endpoints:
                  user: {url: "http://127.0.0.1/", vars: {key: "${uuid()}"}, headers: {X-Key: "${vars.key}"}}
                graphs: {main: {chain: [{call: user}]}}
                """
        ),
        Explanation(
            "unknown-step",
            "a step is not in the graph",
            """
            steps.ID names a step of the same graph. Without 'id', the id of a call is the last part of its endpoint's
            name, and other steps have no id.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {get: "http://127.0.0.1/user", outputs: {id: $.id}}
                      - {get: "http://127.0.0.1/users/${steps.user.outputs.id}"}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user", outputs: {id: $.id}}
                      - {get: "http://127.0.0.1/users/${steps.user.outputs.id}"}
                """
        ),
        Explanation(
            "unknown-field",
            "a step, an input or data has no such field",
            """
            A request has outputs, data, status, headers, time, ok and error; a chain or batch has ok and error.
            Declare your own values under 'outputs'.

            The fields of data are those that its file currently has, and those of an input are the properties of its
            schema, if that allows no others.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user"}
                      - {get: "http://127.0.0.1/users/${steps.user.body.id}"}
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
            "unknown-output",
            "a step has no such output",
            """
            steps.ID.outputs has only what the step and the endpoint that it calls declare under 'outputs'. The whole
            response is steps.ID.data.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user", outputs: {id: $.id}}
                      - {get: "http://127.0.0.1/users/${steps.user.outputs.userId}"}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - {id: user, get: "http://127.0.0.1/user", outputs: {userId: $.id}}
                      - {get: "http://127.0.0.1/users/${steps.user.outputs.userId}"}
                """
        ),
        Explanation(
            "ambiguous-session",
            "'session' could mean the session of several services",
            """
            'session' has the outputs of the endpoint that a service runs for its session. Something that is not part
            of a request, such as the outputs of a graph, belongs to no service, and several services have a session.
            Take the value from a step that uses the session.
            """,
            wrong: """
                waybill: 1
                services:
                  a: {baseURL: "http://127.0.0.1:1", session: {call: login-a}}
                  b: {baseURL: "http://127.0.0.1:2", session: {call: login-b}}
                endpoints:
                  login-a: {service: a, path: /login, outputs: {user: $.user}}
                  login-b: {service: b, path: /login, outputs: {user: $.user}}
                graphs:
                  main:
                    chain: [{id: first, get: /a, service: a}, {get: /b, service: b}]
                    outputs: {user: session.user}
                """,
            right: """
                waybill: 1
                services:
                  a: {baseURL: "http://127.0.0.1:1", session: {call: login-a}}
                  b: {baseURL: "http://127.0.0.1:2", session: {call: login-b}}
                endpoints:
                  login-a: {service: a, path: /login, outputs: {user: $.user}}
                  login-b: {service: b, path: /login, outputs: {user: $.user}}
                graphs:
                  main:
                    chain: [{id: first, get: /a, service: a, outputs: {user: session.user}}, {get: /b, service: b}]
                    outputs: {user: steps.first.outputs.user}
                """
        ),
        Explanation(
            "unknown-session-value",
            "a session has no such value",
            """
            session.NAME is an output of the endpoint that the service runs for its session. Declare it under 'outputs'
            there.
            """
        ),
    ]
}
