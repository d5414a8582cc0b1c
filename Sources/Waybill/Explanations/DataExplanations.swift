import WaybillDiagnostics

extension Explanation {
    /// About files of values, which 'data' and '--inputs' name.
    static let data: [Explanation] = [
        Explanation(
            "csv-syntax",
            "a file is not valid CSV",
            """
            The file cannot be parsed as CSV (RFC 4180) with a row of names at the start: a row has more or fewer
            fields than there are names, a quote is never closed, or a name is repeated. A quote within a quoted field
            is doubled.
            """,
            wrong: """
                id,name
                1,Ada,1815
                """,
            right: """
                id,name
                1,"Ada, 1815"
                """,
            in: "people.csv",
            command: "waybill eval '$' people.csv"
        ),
        Explanation(
            "empty-glob",
            "a file pattern matches no files",
            """
            The list of files is empty, so a 'forEach' over it does nothing. The pattern is relative to the manifest
            that contains it; * matches any part of a name and ** any number of folders.
            """,
            wrong: """
                waybill: 1
                data: {images: {glob: "images/*.jpeg"}}
                graphs: {main: {chain: [{forEach: {in: data.images, as: x}, get: "http://127.0.0.1/${x.name}"}]}}
                """,
            right: """
                waybill: 1
                data: {images: {glob: "images/*.jpg"}}
                graphs: {main: {chain: [{forEach: {in: data.images, as: x}, get: "http://127.0.0.1/${x.name}"}]}}
                """,
            files: [("images/one.jpg", "")]
        ),
        Explanation(
            "invalid-glob",
            "a file pattern is invalid",
            """
            In a pattern, * matches any part of a name, ** any number of folders, ? one character, [a-z] one of some
            characters, and {a,b} one of some strings. A backslash before one of these makes it an ordinary character.
            Brackets and braces must be closed, '..' must come before any of them, and the last part must match files,
            not a folder.
            """,
            wrong: """
                waybill: 1
                data: {images: {glob: "images/*.{jpg,png"}}
                graphs: {main: {chain: [{forEach: {in: data.images, as: x}, get: "http://127.0.0.1/${x.name}"}]}}
                """,
            right: """
                waybill: 1
                data: {images: {glob: "images/*.{jpg,png}"}}
                graphs: {main: {chain: [{forEach: {in: data.images, as: x}, get: "http://127.0.0.1/${x.name}"}]}}
                """,
            files: [("images/one.jpg", "")]
        ),
        Explanation(
            "glob-limit",
            "a file pattern searches too many folders and files",
            """
            The search for the files of a pattern stops with this error if it would take too long, because the folders
            are very deep, have very many files, or very many files match. Make the pattern more specific, so that
            less is searched.
            """
        ),
        Explanation(
            "inputs-format",
            "a file of inputs is not an object of names and values",
            """
            --inputs names a JSON or YAML file with one object, whose members are the values of inputs by name. A list
            or a CSV file belongs under 'data', where a 'forEach' can iterate over it.
            """,
            Example(
                wrong: Sample(
                    files: [("manifest.yaml", oneInput), ("inputs.json", "[7]")],
                    command: runWithInputs
                ),
                right: Sample(
                    files: [("manifest.yaml", oneInput), ("inputs.json", #"{"id": 7}"#)],
                    command: runWithInputs
                )
            )
        ),
    ]

    private static let runWithInputs = "waybill run manifest.yaml --mock --inputs inputs.json"
    private static let oneInput = """
        waybill: 1
        inputs: {id: integer}
        graphs: {main: {chain: [{get: "http://127.0.0.1/users/${inputs.id}", mock: {}}]}}
        """
}
