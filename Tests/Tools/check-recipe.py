#!/usr/bin/env python3
"""check-recipe.py: performs the recipe for a filter stage of docs/ARCHITECTURE.md in a copy of the repository, runs the tests that
find what was forgotten, and fails unless the files that differ are those that the recipe names. Needs about 10 minutes, for the
copy is built from the start."""

import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
STAGE = '''/// Reverses the order of a list: `reverse: true`.
struct ReverseStage: FilterStage {
    static let key = "reverse"

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {}

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var elements: [JSON] = []
        try data.forEachElement { elements.append($0) }
        return data.list(elements.reversed())
    }
}
'''
TEST = '        ("{reverse: true}", "[1, 2, [3]]", "[[3], 2, 1]"),\n'


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, f"{path} does not contain {old!r}"
    path.write_text(text.replace(old, new, 1))


def run(copy: Path, *command: str, **options) -> str:
    print("+", " ".join(command), flush=True)
    return subprocess.run(command, cwd=copy, check=True, text=True, **options).stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "main"
        run(ROOT, "git", "clone", "--quiet", str(ROOT), str(copy))
        (Path(folder) / "shared").symlink_to(ROOT.parent / "shared")
        filters = copy / "Sources/WaybillManifest/Filters"

        (filters / "ReverseStage.swift").write_text("import WaybillExpressions\nimport WaybillJSON\n\n" + STAGE)
        edit(filters / "FilterStage.swift", "FlattenStage.self,", "FlattenStage.self, ReverseStage.self,")
        schema = copy / "schemas/manifest.schema.json"
        flatten = re.search(
            r'\n        \{\n          "type": "object",\n          "required": \["flatten"\](.|\n)*?\n        \},', schema.read_text()
        )[0]
        reverse = flatten.replace("flatten", "reverse").replace(
            "Turns a list of lists into one list.", "Reverses the order of a list."
        )
        edit(schema, flatten, flatten + reverse)
        edit(copy / "Tests/Manifests/every-key.yaml", "    - flatten: true\n", "    - flatten: true\n    - reverse: true\n")

        flattened = '        ("{flatten: true}", "[[1], 2, [[3]]]", "[1, 2, [3]]"),\n'
        edit(copy / "Tests/WaybillExecutionTests/FilterStageTests.swift", flattened, flattened + TEST)

        limited = '"flatten": "true", '
        edit(copy / "Tests/WaybillManifestTests/FilterLimitTests.swift", limited, limited + '"reverse": "true", ')

        program = copy / ".build/debug/waybill"
        run(copy, "swift", "build", "--product", "waybill")
        flat = run(copy, str(program), "schema", "--flat", stdout=subprocess.PIPE)
        (copy / "schemas/manifest.flat.schema.json").write_text(flat)
        keys = run(copy, str(program), "explain", "--reference", "keys", stdout=subprocess.PIPE)
        (copy / "docs/reference/keys.md").write_text(keys)

        tests = "ConstructTests|ManifestSchemaTests|ReadKeyTests|ReferenceTests|FilterStageTests|FilterLimitTests"
        run(copy, "swift", "test", "--filter", tests)

        changed = {line[3:] for line in run(copy, "git", "status", "--short", stdout=subprocess.PIPE).splitlines()}
        recipe = re.search(r"\*\*A filter stage\*\*:(.|\n)*?\n\n", (ROOT / "docs/ARCHITECTURE.md").read_text())[0]
        print("files:", *sorted(changed), sep="\n  ")
        for path in changed:
            name = path.rsplit("/", 1)[-1].replace("ReverseStage", "NAMEStage")
            assert name in recipe, f"the recipe does not name {path}"
        print(f"passed: the recipe names all {len(changed)} files")


main()
