import WaybillDiagnostics

extension Explanation {
    /// About the values of inputs and secrets for a run or a call.
    static let inputs: [Explanation] = [
        Explanation(
            "missing-input",
            "an input has no value",
            """
            A call must set every input of its endpoint that has no default, unless the manifest has an input with the
            same name. A run must set every input of the manifest: with --input NAME=VALUE, by the environment
            variable of its 'env', or by a default.
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
            "the value of an input does not match its schema",
            """
            The value from a call, a default, an environment or the command line does not match the schema of the
            input. A constant is checked before anything is sent; a computed value makes the step fail.
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
            "a line in a file of environment variables is not NAME=VALUE",
            """
            The file of --env-file has a variable on each line: NAME=VALUE, optionally after 'export'. Lines that
            start with # are comments. A value with spaces around it, or with several lines, needs quotes.
            """,
            wrong: "API_URL: http://127.0.0.1",
            right: "API_URL=http://127.0.0.1",
            in: "variables.env",
            command: "waybill plan manifest.yaml --env-file variables.env",
            files: [("manifest.yaml", envFileManifest)]
        ),
        Explanation(
            "env-file-reference",
            "a value in a file of environment variables contains '$'",
            """
            Other tools replace $NAME with the value of a variable. Here a value is used as written; single quotes
            show that this is intended.
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
            A secret comes from an environment variable, which is unset or empty. Only the secrets that a run uses
            are required, before anything is sent. Their values are never written anywhere.
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
