import WaybillDiagnostics

extension Explanation {
    /// About values that a run or a call is given.
    static let inputs: [Explanation] = [
        Explanation(
            "missing-input",
            "an input has no value",
            """
            A call gives every input of its endpoint that has no default, save those that the manifest has an input of the
            same name for. A run gives every input of the manifest: with --input NAME=VALUE, from the environment variable
            of its 'env', or by a default.
            """,
            wrong: """
                waybill: 1
                endpoints: {user: {url: "http://127.0.0.1/users/${inputs.id}", inputs: {id: integer}}}
                graphs: {main: {chain: [{call: user}]}}
                """,
            right: """
                waybill: 1
                endpoints: {user: {url: "http://127.0.0.1/users/${inputs.id}", inputs: {id: integer}}}
                graphs: {main: {chain: [{call: user, with: {id: 7}}]}}
                """
        ),
        Explanation(
            "invalid-input",
            "the value of an input is not what its schema asks for",
            """
            The value that a call, a default, an environment or the command line gives does not fit the schema of the
            input. It is found before anything is sent where the value is a constant, and as a failure of the step where
            it is computed.
            """,
            wrong: """
                waybill: 1
                endpoints: {user: {url: "http://127.0.0.1/users/${inputs.id}", inputs: {id: integer}}}
                graphs: {main: {chain: [{call: user, with: {id: seven}}]}}
                """,
            right: """
                waybill: 1
                endpoints: {user: {url: "http://127.0.0.1/users/${inputs.id}", inputs: {id: integer}}}
                graphs: {main: {chain: [{call: user, with: {id: 7}}]}}
                """
        ),
        Explanation(
            "env-file-syntax",
            "a line of a file of environment variables is not NAME=VALUE",
            """
            The file of --env-file has a variable on each line: NAME=VALUE, with 'export' before it or without. Lines that
            begin with # are comments. A value with spaces around it, or of several lines, is in quotes.
            """,
            wrong: "API_URL: http://127.0.0.1",
            right: "API_URL=http://127.0.0.1",
            in: "variables.env",
            command: "waybill plan manifest.yaml --env-file variables.env",
            files: [("manifest.yaml", envFileManifest)]
        ),
        Explanation(
            "env-file-reference",
            "a value in a file of environment variables has a '$'",
            """
            Other tools replace $NAME by the value of a variable. Here a value is used as it is written; single quotes say
            that this is meant.
            """,
            wrong: "API_URL=http://127.0.0.1/$HOME",
            right: "API_URL='http://127.0.0.1/$HOME'",
            in: "variables.env",
            command: "waybill plan manifest.yaml --env-file variables.env",
            files: [("manifest.yaml", envFileManifest)]
        ),
        Explanation(
            "missing-secret",
            "a secret has no value",
            """
            A secret comes from an environment variable, which is not set or empty. Only the secrets that a run uses are
            asked for, before anything is sent. Their values are written nowhere.
            """,
            Example(
                wrong: Sample(files: [("manifest.yaml", tokenManifest)], command: "waybill run manifest.yaml --mock"),
                right: Sample(
                    files: [("manifest.yaml", tokenManifest)],
                    command: "API_TOKEN=t0ken waybill run manifest.yaml --mock"
                )
            )
        ),
    ]

    private static let envFileManifest = """
        waybill: 1
        inputs: {url: {type: string, env: API_URL}}
        graphs: {main: {chain: [{get: "${inputs.url}"}]}}
        """

    private static let tokenManifest = """
        waybill: 1
        secrets: {token: {env: API_TOKEN}}
        graphs: {main: {chain: [{get: "http://127.0.0.1/", auth: {bearer: "${secrets.token}"}, mock: {}}]}}
        """
}
