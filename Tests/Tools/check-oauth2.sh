#!/usr/bin/env bash
# Checks tokens of OAuth 2.0 with another's server: Authlib's (Python) on this machine gives tokens by client credentials,
# passwords, refresh tokens, on other devices and in the browser, and protects what 'waybill run' asks for. Both sides must agree
# on what was given. Refresh tokens are replaced whenever they are used.
# WAYBILL names the program (.build/debug/waybill).
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=${WAYBILL:-.build/debug/waybill}
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

tools=$(Tests/Tools/python-with.sh authlib==1.9.9 flask==3.1.3)

AUTHLIB_INSECURE_TRANSPORT=1 "$tools/bin/python" - "$waybill" <<'PYTHON'
import collections, json, logging, os, re, stat, subprocess, sys, tempfile, threading, time, urllib.request
import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
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
        # RFC 8252, section 7.3: any port of this machine.
        return re.fullmatch(r"http://127\.0\.0\.1:\d+/callback", uri) is not None

    def check_client_secret(self, secret):
        return secret == self.secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.method

    def check_response_type(self, response_type):
        return response_type == "code"

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


class Code(AuthorizationCodeMixin):
    def __init__(self, code, request):
        data = request.payload.data
        self.code, self.client, self.user = code, request.client, request.user
        self.redirect_uri, self.scope = request.payload.redirect_uri, request.scope
        self.code_challenge, self.code_challenge_method = data["code_challenge"], data["code_challenge_method"]

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope


class AuthorizationCode(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def save_authorization_code(self, code, request):
        codes[code] = Code(code, request)

    def query_authorization_code(self, code, client):
        return codes.get(code) if code in codes and codes[code].client is client else None

    def delete_authorization_code(self, code):
        del codes[code.code]

    def authenticate_user(self, code):
        return code.user


class Devices(DeviceAuthorizationEndpoint):
    INTERVAL = 1

    def get_verification_uri(self):
        return f"{base}/device"

    def save_device_credential(self, client_id, scope, data):
        devices[data["device_code"]] = DeviceCredentialDict(client_id=client_id, scope=scope, **data)


class DeviceCode(DeviceCodeGrant):
    def query_device_credential(self, code):
        return devices.get(code)

    def query_user_grant(self, user_code):
        polls[user_code] += 1
        return approvals.get(user_code)

    def should_slow_down(self, credential):
        return polls[credential["user_code"]] == 2


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = METHODS

    def query_token(self, text, hint):
        key = {"refresh_token": "refresh_token"}.get(hint, "access_token")
        return next((token for token in tokens.values() if token.given.get(key) == text), None)

    def revoke_token(self, token, request):
        token.revoked = True


codes, devices, approvals, polls = {}, {}, {}, collections.Counter()


def save(given, request):
    grants_given[request.payload.grant_type] += 1
    tokens[given["access_token"]] = Token(request.client, request.user, given)


class Validator(BearerTokenValidator):
    def authenticate_token(self, text):
        return tokens.get(text)


app = flask.Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
server = AuthorizationServer(app, query_client=CLIENTS.get, save_token=save)
for grant in (ClientCredentials, Password, Refresh, DeviceCode):
    server.register_grant(grant)
server.register_grant(AuthorizationCode, [CodeChallenge(required=True)])
for endpoint in (Devices, Revocation):
    server.register_endpoint(endpoint)
require = ResourceProtector()
require.register_token_validator(Validator())


@app.post("/token")
def issue():
    return server.create_token_response()


@app.post("/device_authorization")
def authorize_device():
    return server.create_endpoint_response(Devices.ENDPOINT_NAME)


@app.get("/authorize")
def authorize():
    user = "ann" if flask.request.args["scope"] != "denied" else None
    return server.create_authorization_response(grant=server.get_consent_grant(end_user=user), grant_user=user)


@app.post("/revoke")
def revoke():
    return server.create_endpoint_response(Revocation.ENDPOINT_NAME)


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

def log_in(what, oauth2, act, user):
    """Logs in, and runs three times: with the token of the login, after its end, and in two processes at once."""
    grants_given.clear()
    auth = {"tokenURL": f"{base}/token", "scope": "read", "clientId": "public", "store": "tokens.json",
            "revocationURL": f"{base}/revoke"} | oauth2
    manifest = {
        "waybill": 1, "services": {"s": {"baseURL": base, "auth": {"oauth2": auth}}},
        "graphs": {"main": {"chain": [{"id": "last", "get": "/items/last"}], "outputs": {"last": "steps.last.data"}}},
    }
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/m.yaml", "w") as file:
            json.dump(manifest, file)

        def start(*words):
            return subprocess.Popen([waybill, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def run(out):
            process = start("run", "m.yaml", "--out", out)
            return process, out

        def result(started):
            process, out = started
            texts = process.communicate(timeout=60)
            written.extend(texts)
            if process.returncode != 0:
                return process.returncode, "".join(texts)[-1500:]
            return json.load(open(f"{folder}/{out}/outputs.json"))["main"]["last"]

        def stored():
            return [entry["refreshToken"] for entry in json.load(open(f"{folder}/tokens.json"))["tokens"]]

        written = []
        status, words = result(run("before"))
        check(f"{what}: a run without a login names the command", (status, "waybill login m.yaml s" in words), (2, True))
        login = start("login", "m.yaml")
        act(login)
        _, errors = login.communicate(timeout=90)
        check(f"{what}: login", (login.returncode, errors), (0, ""))
        if login.returncode != 0:
            return
        mode = stat.S_IMODE(os.stat(f"{folder}/tokens.json").st_mode)
        check(f"{what}: mode of the file", oct(mode), "0o600")
        whose = {"client": "public", "user": user, "scope": "read"}
        check(f"{what}: whose token it is", result(run("first")), whose)
        check(f"{what}: no token was requested again", sum(grants_given.values()) - grants_given["refresh_token"] , 1)
        end()
        check(f"{what}: after the end of the access token", result(run("second")), whose)
        end()
        both = [run("third"), run("fourth")]
        check(f"{what}: two processes at once", [result(each) for each in both], [whose, whose])
        check(f"{what}: refresh tokens were used", grants_given["refresh_token"], 2)
        good = [token.given.get("refresh_token") for token in tokens.values() if not token.revoked and token.user == user]
        check(f"{what}: the stored refresh token is the newest", stored(), good[-1:])
        for place, _, names in os.walk(folder):
            written += [open(f"{place}/{name}", errors="replace").read() for name in names if name != "tokens.json"]
        texts = [text for token in tokens.values() for text in (token.given["access_token"], token.given.get("refresh_token"))]
        check(f"{what}: no token is written anywhere else", [t for t in texts if t and any(t in w for w in written)], [])
        logout = start("logout", "m.yaml", "s")
        logout.communicate(timeout=60)
        check(f"{what}: logout", (logout.returncode, stored()), (0, []))
        check(f"{what}: the token is revoked", [t.revoked for t in tokens.values() if t.given.get("refresh_token") == good[-1]], [True])


def approve(login):
    line = login.stdout.readline()
    code = line.split()[-1]
    # The first poll finds it pending, the second one is too fast.
    while polls[code] < 2:
        time.sleep(0.05)
    approvals[code] = ("bob", True)


def browse(login):
    login.stdout.readline()
    with urllib.request.urlopen(login.stdout.readline().strip(), timeout=30) as page:
        page.read()


log_in("device", {"grant": "device", "deviceURL": f"{base}/device_authorization"}, approve, "bob")
log_in("browser", {"grant": "authorization_code", "authorizationURL": f"{base}/authorize"}, browse, "ann")

listening.shutdown()
print("\n".join(problems) or "all as it should be")
sys.exit(1 if problems else 0)
PYTHON
