import WaybillDiagnostics

extension Explanation {
    /// About files as a whole, and the files that make up manifests.
    static let files: [Explanation] = [
        Explanation(
            "no-manifest",
            "a folder has no manifest",
            """
            For a folder, 'run' and 'validate' use its .yaml and .yml files that have the key 'waybill' at the top
            level, including those in subfolders. Files without it are for 'include'. Hidden folders, folders named
            waybill-results, and links to folders are skipped.
            """
        ),
        Explanation(
            "unreadable-file",
            "a file cannot be read",
            """
            The file does not exist, it is a folder, its permissions do not let you read it, or it is too large. The
            path of an include is relative to the file that includes it, not to the folder that waybill runs in.

            The message says which of these it is. Nothing that depends on the file is checked.
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
            "a file already exists",
            """
            A new file would replace an existing one. Existing files are never overwritten, so that no work is lost by
            mistake.
            """,
            wrongCommand: "waybill init manifest.yaml; waybill init manifest.yaml",
            rightCommand: "waybill init manifest.yaml; waybill init other.yaml"
        ),
        Explanation(
            "unwritable-file",
            "a file cannot be written",
            """
            The folder of the file cannot be created, its permissions do not let you write to it, or the disk is full.
            The message says which of these it is. No partial file is left behind.
            """,
            wrongCommand: "waybill init /dev/null/manifest.yaml",
            rightCommand: "waybill init api/manifest.yaml"
        ),
        Explanation(
            "empty-file",
            "a file is empty",
            """
            The file has no value: it is empty, or contains only white space and comments. Often an editor did not
            save it, or the program that should have written it failed.

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
            "a file is not a text file",
            """
            The file contains a zero byte, which text files never do. Often it is an image, an archive, or a file in
            UTF-16 that was given by mistake.
            """,
            wrongCommand: #"printf 'waybill: 1\nname: \000\n' > manifest.yaml; waybill validate manifest.yaml"#,
            rightCommand: #"printf 'waybill: 1\nname: x\n' > manifest.yaml; waybill validate manifest.yaml"#
        ),
        Explanation(
            "control-character",
            "a YAML file contains a control character",
            """
            YAML allows no control characters except tab and line break, because they are invisible. They come from
            copying out of terminals and word processors.

            If you need the character, write its number between double quotes, such as "\\u0007".
            """,
            wrongCommand: #"printf 'waybill: 1\nname: "a\007b"\n' > manifest.yaml; waybill validate manifest.yaml"#,
            rightCommand: #"printf 'waybill: 1\nname: "a\\u0007b"\n' > manifest.yaml; waybill validate manifest.yaml"#
        ),
        Explanation(
            "invalid-utf8",
            "a file is not encoded in UTF-8",
            """
            Some bytes are not valid UTF-8, so their characters are unknown. The file was probably saved in an older
            encoding such as Latin-1 or Windows-1252, or in UTF-16. Save it as UTF-8; a byte order mark is allowed.
            """,
            wrongCommand: #"printf 'waybill: 1\nname: caf\351\n' > manifest.yaml; waybill validate manifest.yaml"#,
            rightCommand: #"printf 'waybill: 1\nname: café\n' > manifest.yaml; waybill validate manifest.yaml"#
        ),
        Explanation(
            "too-large",
            "a file is too large",
            """
            The size of what is read is limited, so that no file can use all memory: 64 MiB for a manifest, two
            million values in a document, a hundred %TAG directives.

            Split a manifest that approaches these limits with 'include'.
            """,
            wrongCommand: "(seq -f '%%TAG !t%g! !' 101; echo '--- {waybill: 1}') > manifest.yaml; \(usualCommand)",
            rightCommand: "(seq -f '%%TAG !t%g! !' 3; echo '--- {waybill: 1}') > manifest.yaml; \(usualCommand)"
        ),
        Explanation(
            "too-many-findings",
            "there are too many errors to show all of them",
            """
            After a thousand diagnostics, the rest of a file is not checked. So many usually have one cause, such as
            the wrong schema or the wrong file. Fix the first ones and check again.
            """
        ),
        Explanation(
            "outside-folder",
            "a file is outside the folder of the manifest, or of the results",
            """
            A manifest may name only files in its own folder and its subfolders, so that a manifest from somebody else
            cannot read arbitrary files. Symbolic links are followed before this is checked. Computed paths are
            checked when the file is opened. Certificates and netrc files may be at any absolute path. A run writes
            only to its results folder.

            Move the file, or use --allow-outside if you trust the manifest.
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
            folder. 'waybill resume' and 'waybill show' read them, so no step may write there.

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
            "a file to send does not exist",
            """
            'body' names a file that does not exist now. It may be created before the run, and is read when it is
            sent; if it is still missing then, the step fails. The path is relative to the file that names it.
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
            Two steps, the elements of a 'forEach' around a step, or several runs of a graph would write to a file
            with the same name, and only the last one would remain. Give each its own name, with an expression in it
            if one step runs several times.

            'write' on a step that itself has 'forEach' or 'paginate' puts the records of all elements or pages into
            one file, as intended.
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
            Through its includes, a file leads back to itself. Move what two files need to a third one that both
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
            "includes are nested too deep",
            """
            A file includes a file that includes a file, and so on for more than 32 levels. Include all parts from one
            file instead.
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
            A manifest and its includes share their names: a service, endpoint, filter, graph, input or secret has one
            definition. Neither file takes precedence, so this is an error at both locations. Rename one of the two;
            dots group names, as in 'home.index'.
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
            "trace-export",
            "the trace of a run is not exported, or not completely",
            """
            The environment variables of OpenTelemetry ask for the export of the run's trace, but one of them has a value
            that cannot be used, or the collector did not take all spans: it is not running, refuses them, or is slower
            than the run. The run itself is not affected. Waybill sends OTLP over HTTP in JSON, which collectors
            receive at port 4318, or appends it to a file.
            """,
            wrongCommand: "OTEL_EXPORTER_OTLP_ENDPOINT=collector:4317 waybill run manifest.yaml --mock",
            rightCommand: "OTEL_EXPORTER_OTLP_ENDPOINT=file:///dev/null waybill run manifest.yaml --mock",
            files: [
                (
                    "manifest.yaml",
                    "waybill: 1\ngraphs: {main: {chain: [{get: \"http://127.0.0.1/\", mock: {status: 204}}]}}"
                )
            ]
        ),
        Explanation(
            "unfinished-run",
            "a run replaces the results of one that had not finished",
            """
            The folder of --out has the results of a run that was killed or interrupted, and a new run replaces them.
            'waybill resume FOLDER' continues such a run instead, without repeating what passed. Without --out, each
            run has its own folder.
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
            "the output of a command cannot be written",
            """
            Standard output is on a full disk, is a device that accepts no data, or is closed. The command itself did
            not fail, but its result was lost, so its exit status is 3.
            """,
            wrongCommand: "waybill eval '1 + 1' > /dev/full",
            rightCommand: "waybill eval '1 + 1' > two.json"
        ),
    ]
}
