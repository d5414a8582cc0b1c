import WaybillDiagnostics

extension Explanation {
    /// About files as a whole, and what manifests are put together from.
    static let files: [Explanation] = [
        Explanation(
            "no-manifest",
            "a folder has no manifest",
            """
            For a folder, 'run' and 'validate' take its .yaml and .yml files that have the key 'waybill' at the top, also
            those in its folders. Files without it are for 'include'. Hidden folders, folders named waybill-results, and
            links to folders are passed over.
            """
        ),
        Explanation(
            "unreadable-file",
            "a file cannot be read",
            """
            There is no such file, it is a folder, its permissions do not let you read it, or it is too large. The path of
            an include is relative to the file that includes it, not to the folder that waybill runs in.

            The message says which of these it is. Nothing is checked beyond a file that cannot be read.
            """,
            wrong: """
                waybill: 1
                include: [serivces.yaml]
                """,
            right: """
                waybill: 1
                include: [services.yaml]
                """,
            files: [("services.yaml", "waybill: 1")]
        ),
        Explanation(
            "existing-file",
            "a file is there already",
            """
            A new file is to be written where something is. Nothing that is there is ever overwritten, so that no work is
            lost by a slip.
            """,
            wrongCommand: "waybill init manifest.yaml; waybill init manifest.yaml",
            rightCommand: "waybill init manifest.yaml; waybill init other.yaml"
        ),
        Explanation(
            "unwritable-file",
            "a file cannot be written",
            """
            The folder that it should be in is not there, its permissions do not let you write to it, or the disk is full.
            The message says which of these it is. No part of the file is left behind.
            """,
            wrongCommand: "waybill init api/manifest.yaml",
            rightCommand: "mkdir api; waybill init api/manifest.yaml"
        ),
        Explanation(
            "empty-file",
            "a file has nothing in it",
            """
            The file has no value: it is empty, or has only white space and comments. Often an editor has not saved it, or
            the program that should have written it has failed.

            A manifest has at least the key 'waybill'.
            """,
            wrong: """
                # nothing but a comment
                """,
            right: """
                waybill: 1
                """
        ),
        Explanation(
            "binary-file",
            "a file is not a text",
            """
            There is a zero byte in the file, which no text has. Often it is an image, an archive, or a text in UTF-16
            that was given by mistake.
            """,
            wrongCommand: #"printf 'waybill: 1\nname: \000\n' > manifest.yaml; waybill validate manifest.yaml"#,
            rightCommand: #"printf 'waybill: 1\nname: x\n' > manifest.yaml; waybill validate manifest.yaml"#
        ),
        Explanation(
            "control-character",
            "a control character stands in a YAML text",
            """
            YAML allows no control characters but tab and line break, since nobody sees them. They come from copying out
            of terminals and word processors.

            Where the character is meant, write it between double quotes by its number, such as "\\u0007".
            """,
            wrongCommand: #"printf 'waybill: 1\nname: "a\007b"\n' > manifest.yaml; waybill validate manifest.yaml"#,
            rightCommand: #"printf 'waybill: 1\nname: "a\\u0007b"\n' > manifest.yaml; waybill validate manifest.yaml"#
        ),
        Explanation(
            "invalid-utf8",
            "a file is not written in UTF-8",
            """
            Some bytes are not UTF-8, so nobody can say which characters they are. The file was probably saved in an older
            encoding such as Latin-1 or Windows-1252, or in UTF-16. Save it as UTF-8; a byte order mark does no harm.
            """,
            wrongCommand: #"printf 'waybill: 1\nname: caf\351\n' > manifest.yaml; waybill validate manifest.yaml"#,
            rightCommand: #"printf 'waybill: 1\nname: café\n' > manifest.yaml; waybill validate manifest.yaml"#
        ),
        Explanation(
            "too-large",
            "a file is larger than can be read",
            """
            There are limits on the size of what is read, so that no file can take all memory: 64 MiB for a manifest, two
            million values in a document, a hundred %TAG directives.

            A manifest that comes near them is better taken apart with 'include'.
            """,
            wrongCommand: "(seq -f '%%TAG !t%g! !' 101; echo '--- {waybill: 1}') > manifest.yaml; \(usualCommand)",
            rightCommand: "(seq -f '%%TAG !t%g! !' 3; echo '--- {waybill: 1}') > manifest.yaml; \(usualCommand)"
        ),
        Explanation(
            "too-many-findings",
            "there is too much wrong to tell it all",
            """
            After a thousand findings the rest of a file is not looked at. So many usually have one cause, such as the
            wrong schema or the wrong file. Put the first ones right and check again.
            """
        ),
        Explanation(
            "outside-folder",
            "a file lies outside the folder of the manifest, or of the results",
            """
            A manifest may name only files in its own folder and below it, so that a manifest from somebody else cannot
            read what it likes. Symbolic links are followed before this is checked. Computed
            paths are checked when the file is opened. Certificates and netrc files may be at
            any absolute path. What a run writes goes to its results folder, nowhere else.

            Move the file, or say --allow-outside where you trust the manifest.
            """,
            wrong: """
                waybill: 1
                include: [/dev/null]
                """,
            right: """
                waybill: 1
                include: [common/services.yaml]
                """,
            files: [("common/services.yaml", "waybill: 1")]
        ),
        Explanation(
            "reserved-file",
            "a step would write a file that belongs to the run itself",
            """
            Each run writes events.ndjson, run.json, outputs.json, sources.json and the folder bodies to its results
            folder. waybill resume and waybill show read them, so no step may write there.

            Give the file another name.
            """,
            wrong: """
                waybill: 1
                services: {s: {baseURL: "http://localhost"}}
                graphs: {main: {chain: [{get: /a, write: {to: run.json}}]}}
                """,
            right: """
                waybill: 1
                services: {s: {baseURL: "http://localhost"}}
                graphs: {main: {chain: [{get: /a, write: {to: items.json}}]}}
                """
        ),
        Explanation(
            "missing-file",
            "a file that is to be sent is not there",
            """
            'body' names a file that does not exist now. It may be made before the run, and is looked for again when it is sent;
            if it is missing then, the step fails. The path is relative to the file that names it.
            """,
            wrong: """
                waybill: 1
                graphs: {main: {chain: [{post: "http://127.0.0.1/photos", body: {file: photo.jgp}}]}}
                """,
            right: """
                waybill: 1
                graphs: {main: {chain: [{post: "http://127.0.0.1/photos", body: {file: photo.jpg}}]}}
                """,
            files: [("photo.jpg", "")]
        ),
        Explanation(
            "same-file",
            "one file is written more than once",
            """
            Two steps, or the elements of a 'forEach' around a step, or several runs of a graph, would write to a file of one
            name, and only the last would be left. Give each a name of its own, with an expression in it where one step runs
            several times.

            'write' on a step that has the 'forEach' itself, or pages, puts the records of all into one file, as it should.
            """,
            wrong: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - forEach: {in: [north, south], as: region}
                        chain:
                          - {get: "http://127.0.0.1/${region}", write: {to: region.json}}
                """,
            right: """
                waybill: 1
                graphs:
                  main:
                    chain:
                      - forEach: {in: [north, south], as: region}
                        chain:
                          - {get: "http://127.0.0.1/${region}", write: {to: "${region}.json"}}
                """
        ),
        Explanation(
            "include-cycle",
            "a file includes itself",
            """
            By way of its includes a file leads back to itself. What two files need belongs into a third one that both
            include; a file that is included twice is read once.
            """,
            Example(
                wrong: Sample(
                    files: [
                        ("manifest.yaml", "waybill: 1\ninclude: [part.yaml]"),
                        ("part.yaml", "waybill: 1\ninclude: [manifest.yaml]"),
                    ],
                    command: usualCommand
                ),
                right: Sample(
                    files: [("manifest.yaml", "waybill: 1\ninclude: [part.yaml]"), ("part.yaml", "waybill: 1")],
                    command: usualCommand
                )
            )
        ),
        Explanation(
            "include-depth",
            "includes go too deep",
            """
            A file includes a file that includes a file, and so on for more than 32 levels. Include the parts from one
            file, side by side.
            """,
            wrongCommand: """
                for n in $(seq 33); do echo "{waybill: 1, include: [$((n + 1)).yaml]}" > $n.yaml; done; \
                echo 'waybill: 1' > 34.yaml; waybill validate 1.yaml
                """,
            rightCommand: """
                for n in $(seq 2 34); do echo 'waybill: 1' > $n.yaml; done; \
                echo "{waybill: 1, include: [$(seq -s, -f %g.yaml 2 34)]}" > 1.yaml; waybill validate 1.yaml
                """
        ),
        Explanation(
            "duplicate-definition",
            "a name is defined in two files",
            """
            A manifest and what it includes share their names: a service, endpoint, filter, graph, input or secret has one
            definition. Neither file could be said to win, so this is an error at both places. Rename one of the two; dots
            group names, as in 'home.index'.
            """,
            Example(
                wrong: Sample(
                    files: [
                        ("manifest.yaml", "waybill: 1\ninclude: [part.yaml]\ninputs: {size: integer}"),
                        ("part.yaml", "waybill: 1\ninputs: {size: string}"),
                    ],
                    command: usualCommand
                ),
                right: Sample(
                    files: [
                        ("manifest.yaml", "waybill: 1\ninclude: [part.yaml]\ninputs: {count: integer}"),
                        ("part.yaml", "waybill: 1\ninputs: {size: string}"),
                    ],
                    command: usualCommand
                )
            )
        ),
        Explanation(
            "unfinished-run",
            "a run replaces the results of one that had not finished",
            """
            The folder of --out has the results of a run that was killed or interrupted, and a new run replaces them. 'waybill
            resume FOLDER' continues such a run instead, without sending again what passed. Without --out each run has a
            folder of its own.
            """,
            wrongCommand: """
                waybill run manifest.yaml --mock --out out > run.txt; sed -i '$d' out/events.ndjson
                waybill run manifest.yaml --mock --out out
                """,
            rightCommand: """
                waybill run manifest.yaml --mock --out out > run.txt; sed -i '$d' out/events.ndjson
                waybill resume ./out
                """,
            files: [
                (
                    "manifest.yaml",
                    "waybill: 1\ngraphs: {main: {chain: [{get: \"http://127.0.0.1/\", mock: {status: 204}}]}}"
                )
            ]
        ),
        Explanation(
            "unwritable-output",
            "what a command prints cannot be written",
            """
            Standard output leads to a full disk or to a device that takes nothing, or it is closed. The command has not failed, but what
            it was asked for has not arrived, so its exit status is 3.
            """,
            wrongCommand: "waybill eval '1 + 1' > /dev/full",
            rightCommand: "waybill eval '1 + 1' > two.json"
        ),
    ]
}
