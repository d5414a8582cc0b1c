import WaybillDiagnostics

extension Explanation {
    /// About files of values: what 'data' and '--inputs' name.
    static let data: [Explanation] = [
        Explanation(
            "csv-syntax",
            "a text is not CSV",
            """
            The text cannot be read as CSV (RFC 4180) with a row of names at its beginning: a row has more or fewer fields
            than there are names, a quote is never closed, or a name comes twice. A quote within a quoted field is doubled.
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
            "a pattern for files matches none",
            """
            The list of files is empty, so a 'forEach' over it does nothing. The pattern is relative to the manifest that
            it stands in; * stands for any part of a name and ** for any number of folders.
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
            "a pattern for files is invalid",
            """
            In a pattern * stands for any part of a name, ** for any number of folders, ? for one character, [a-z] for one of
            some characters and {a,b} for one of some texts. A backslash before one of these makes it an ordinary character.
            Brackets and braces are closed, '..' comes before any of them, and the last part names files, not a folder.
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
            "a pattern for files searches too many folders and files",
            """
            The search for the files of a pattern ends with this error where it would take long: where the folders are very
            deep, have very many files, or very many files match. Name more of the path in the pattern, so that less is
            searched.
            """
        ),
        Explanation(
            "inputs-format",
            "a file of inputs is not an object of names and values",
            """
            --inputs names a JSON or YAML file with one object, whose members are the values of inputs by name. A list or a
            CSV file belongs under 'data', over which a 'forEach' can go.
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
