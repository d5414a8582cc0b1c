#!/usr/bin/env bash
# Checks tokens of OAuth 2.0 with another's server: Authlib's (Python) on this machine gives tokens by client credentials,
# passwords and refresh tokens, and protects what 'waybill run' asks for. Both sides must agree on what was given.
# WAYBILL names the program (.build/debug/waybill).
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=${WAYBILL:-.build/debug/waybill}
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

tools=$(Tests/Tools/python-with.sh authlib==1.9.9 flask==3.1.3)

AUTHLIB_INSECURE_TRANSPORT=1 "$tools/bin/python" - "$waybill" <<'PYTHON'
import collections, json, logging, os, subprocess, sys, tempfile, threading, time
import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from werkzeug.serving import make_server

waybill = os.path.abspath(sys.argv[1])
# Characters that must be form-encoded on their way (RFC 6749, section 2.3.1, and appendix B).
# The secret of the client that proves itself by an Authorization field has none of them: Authlib does not decode those.
SECRET, BODY_SECRET, PASSWORD = "s-._3", "s%:+ ü&=/", "p&ß=+% w"
logging.getLogger("werkzeug").setLevel(logging.ERROR)
grants_given, asked, tokens = collections.Counter(), collections.Counter(), {}


class Client(ClientMixin):
    def __init__(self, client_id, method, secret):
        self.client_id, self.method, self.secret = client_id, method, secret

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(word for word in (scope or "").split() if word in ("read", "write"))

    def check_redirect_uri(self, uri):
        return False

    def check_client_secret(self, secret):
        return secret == self.secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.method

    def check_response_type(self, response_type):
        return False

    def check_grant_type(self, grant_type):
        return True


class Token(TokenMixin):
    def __init__(self, client, user, given):
        self.client, self.user, self.given = client, user, given
        self.made, self.revoked = time.time(), False

    def check_client(self, client):
        return self.client is client

    def get_scope(self):
        return self.given.get("scope", "")

    def get_expires_in(self):
        return self.given["expires_in"]

    def is_expired(self):
        return time.time() >= self.made + self.given["expires_in"]

    def is_revoked(self):
        return self.revoked

    def get_user(self):
        return self.user

    def get_client(self):
        return self.client


CLIENTS = {client.client_id: client for client in [
    Client("basic", "client_secret_basic", SECRET),
    Client("body", "client_secret_post", BODY_SECRET),
    Client("public", "none", ""),
]}
METHODS = ["client_secret_basic", "client_secret_post", "none"]


class ClientCredentials(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS


class Password(grants.ResourceOwnerPasswordCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def authenticate_user(self, username, password):
        return username if (username, password) == ("me & you", PASSWORD) else None


class Refresh(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        for token in tokens.values():
            if token.given.get("refresh_token") == refresh_token and not token.revoked:
                return token

    def authenticate_user(self, credential):
        return credential.user

    def revoke_old_credential(self, credential):
        credential.revoked = True


def save(given, request):
    grants_given[request.payload.grant_type] += 1
    tokens[given["access_token"]] = Token(request.client, request.user, given)


class Validator(BearerTokenValidator):
    def authenticate_token(self, text):
        return tokens.get(text)


app = flask.Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
server = AuthorizationServer(app, query_client=CLIENTS.get, save_token=save)
for grant in (ClientCredentials, Password, Refresh):
    server.register_grant(grant)
require = ResourceProtector()
require.register_token_validator(Validator())


@app.post("/token")
def issue():
    return server.create_token_response()


@app.get("/items/<name>")
@require("read")
def item(name):
    asked[name] += 1
    return {"client": current_token.client.client_id, "user": current_token.user, "scope": current_token.get_scope()}


@app.post("/end")
def end():
    for token in tokens.values():
        # The access token is refused from now on; its refresh token is still good.
        token.given["expires_in"] = 0
    return {}


listening = make_server("127.0.0.1", 0, app, threaded=True)
threading.Thread(target=listening.serve_forever, daemon=True).start()
base = f"http://127.0.0.1:{listening.server_port}"
problems = []


def check(what, found, expected):
    print(f"{'ok  ' if found == expected else 'FAIL'} {what}")
    if found != expected:
        problems.append(f"{what}: found {found!r}, expected {expected!r}")


def run(what, oauth2, status=0, scope="read"):
    """Runs many requests at once, lets all access tokens end, and runs them again."""
    grants_given.clear()
    asked.clear()
    auth = {"tokenURL": f"{base}/token", "scope": scope} | oauth2
    secrets = {name: auth[name] for name in ("clientSecret", "password", "refreshToken") if name in auth}
    auth |= {name: "${secrets.%s}" % name for name in secrets}
    item = {"get": "/items/${n}", "forEach": {"in": list(range(30)), "as": "n"}}
    manifest = {
        "waybill": 1, "secrets": {name: {"env": name.upper()} for name in secrets},
        "defaults": {"concurrency": 8}, "services": {"s": {"baseURL": base, "auth": {"oauth2": auth}}},
        "graphs": {"main": {
            "chain": [{"id": "one", **item}, {"id": "end", "post": "/end", "auth": "none"}, {"id": "two", **item},
                      {"id": "last", "get": "/items/last"}],
            "outputs": {"last": "steps.last.data"},
        }},
    }
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/manifest.yaml", "w") as file:
            json.dump(manifest, file, ensure_ascii=False)
        ended = subprocess.run([waybill, "run", "manifest.yaml", "--out", "results"], cwd=folder, capture_output=True,
                               text=True, env=os.environ | {name.upper(): value for name, value in secrets.items()})
        check(f"{what}: exit status", ended.returncode, status)
        if ended.returncode != status:
            print(ended.stdout[-2000:], ended.stderr[-2000:])
        written = ended.stdout + ended.stderr
        for place, _, names in os.walk(f"{folder}/results"):
            written += "".join(open(f"{place}/{name}", errors="replace").read() for name in names)
        texts = [text for token in tokens.values() for text in (token.given["access_token"], token.given.get("refresh_token"))]
        check(f"{what}: no token is written anywhere", [text for text in texts if text and text in written], [])
        try:
            return json.load(open(f"{folder}/results/outputs.json")).get("main", {}).get("last"), written
        except FileNotFoundError:
            return None, written


for client, secret in (("basic", SECRET), ("body", BODY_SECRET)):
    what = f"client credentials, {client}"
    last, _ = run(what, {"grant": "client_credentials", "clientId": client, "clientSecret": secret, "clientAuth": client})
    check(f"{what}: whose token it is", last, {"client": client, "user": None, "scope": "read"})
    check(f"{what}: one token, and one after it was refused", dict(grants_given), {"client_credentials": 2})
    check(f"{what}: each item once", (len(asked), set(asked.values())), (31, {1, 2}))

what = "password"
user = {"grant": "password", "username": "me & you", "password": PASSWORD}
last, _ = run(what, user | {"clientId": "basic", "clientSecret": SECRET}, scope=["read", "write"])
check(f"{what}: whose token it is", last, {"client": "basic", "user": "me & you", "scope": "read write"})
check(f"{what}: one token, and one by its refresh token", dict(grants_given), {"password": 1, "refresh_token": 1})

what = "password, a client without a secret"
last, _ = run(what, user | {"clientId": "public"})
check(f"{what}: whose token it is", last, {"client": "public", "user": "me & you", "scope": "read"})

what = "refresh token"
first = next(token for token in reversed(tokens.values()) if not token.revoked)
last, _ = run(what, {"grant": "refresh_token", "refreshToken": first.given["refresh_token"], "clientId": "public"})
check(f"{what}: whose token it is", last, {"client": "public", "user": "me & you", "scope": "read"})
check(f"{what}: one token by the one given, one by the next", dict(grants_given), {"refresh_token": 2})

what = "a wrong password"
_, written = run(what, user | {"password": "wrong", "clientId": "public"}, status=1)
check(f"{what}: the server's words", "invalid_request" in written or "invalid_grant" in written, True)
check(f"{what}: nothing was asked for", len(asked), 0)

what = "a wrong secret"
_, written = run(what, {"grant": "client_credentials", "clientId": "body", "clientSecret": "no", "clientAuth": "body"}, status=1)
check(f"{what}: the server's words", "invalid_client" in written, True)

listening.shutdown()
print("\n".join(problems) or "all as it should be")
sys.exit(1 if problems else 0)
PYTHON
