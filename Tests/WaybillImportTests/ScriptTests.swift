import Testing
import WaybillDiagnostics

@testable import WaybillImport

struct ScriptTests {
    /// A test script, and what it becomes: `status`, `header`, `maxTime`, conditions with messages, and captures.
    private static let tests: [(script: String, result: [String])] = [
        ("pm.test('ok', function () { pm.response.to.have.status(200); });", ["status 200"]),
        ("pm.test('ok', () => pm.response.to.be.ok);", ["status 2xx"]),
        ("pm.test(\"ok\", () => {\n  pm.expect(pm.response.code).to.be.oneOf([200, 201])\n})", ["status 200,201"]),
        ("pm.test('ok', () => pm.expect([200, 202]).to.include(pm.response.code));", ["status 200,202"]),
        ("pm.response.to.have.status('Created')", ["status 201"]),
        ("tests['ok'] = responseCode.code === 200;", ["status 200"]),
        ("pm.test('fast', () => pm.expect(pm.response.responseTime).to.be.below(500));", ["maxTime 500"]),
        (
            "pm.test('fast', () => pm.expect(pm.response.responseTime).to.be.above(500));",
            ["response.time > 500 // fast"]
        ),
        ("pm.response.to.have.header('Content-Type', 'text/html');", ["header Content-Type: text/html"]),
        ("pm.response.to.have.header('X-A', 'a*');", ["response.headers['X-A'] == 'a*'"]),
        ("pm.response.to.have.header('X-A');", ["exists(response.headers['X-A'])"]),
        ("pm.expect(pm.response.headers.get('X-A')).to.eql('b');", ["response.headers['X-A'] == 'b'"]),
        (
            "const d = pm.response.json();\npm.test('n', () => { pm.expect(d.a.b[0]['c d']).to.eql('x'); });",
            ["$.a.b[0]['c d'] == 'x' // n"]
        ),
        (
            "let d = JSON.parse(responseBody); tests['n'] = d.total > 3 && d.items.length === 2",
            ["$.total > 3 // n", "length($.items) == 2 // n"]
        ),
        (
            "var d; try { d = JSON.parse(responseBody); } catch (e) { }\ntests['n'] = d && d.a && d.a.b === 1;",
            ["$.a.b == 1 // n"]
        ),
        ("tests['n'] = JSON.parse(responseBody).a === undefined;", ["!exists($.a) // n"]),
        ("tests['n'] = JSON.parse(responseBody).a !== undefined;", ["exists($.a) // n"]),
        ("tests['n'] = JSON.parse(responseBody).a == null;", ["default($.a, null) == null // n"]),
        ("tests['n'] = JSON.parse(responseBody).a === null;", ["$.a == null // n"]),
        ("tests['n'] = 'a' in JSON.parse(responseBody).args;", ["exists($.args.a) // n"]),
        ("tests['n'] = !('a' in JSON.parse(responseBody).args);", ["exists($.args) && !exists($.args.a) // n"]),
        ("pm.expect(pm.response.json().q[0].r).to.be.undefined;", ["exists($.q[0]) && !exists($.q[0].r)"]),
        ("tests['n'] = responseBody.has('gzipped');", ["contains(json(response.body), 'gzipped') // n"]),
        (
            "pm.expect(pm.response.json().list).to.be.an('array').that.is.not.empty;",
            ["startsWith(json($.list), '[')", "length($.list) > 0"]
        ),
        ("pm.expect(pm.response.json()).to.have.property('id');", ["exists($.id)"]),
        ("pm.expect(pm.response.json()).to.have.property('id').that.is.above(3);", ["exists($.id)", "$.id > 3"]),
        ("pm.expect(pm.response.json().list).to.have.lengthOf(3);", ["length($.list) == 3"]),
        (
            "let ok = true; pm.test('a', () => { ok = pm.response.json().s === 1; }); pm.test('n', () => pm.expect(ok).to.be.true);",
            ["$.s == 1 // n"]
        ),
        (
            "let d = 1; pm.test('a', () => { let d = pm.response.json(); pm.expect(d.s).to.equal(1); });",
            ["$.s == 1 // a"]
        ),
        ("pm.expect(pm.response.json().s).to.match(/^\\d+$/);", ["match($.s, '([0-9]+)')"]),
        ("pm.expect(pm.response.json().s).to.not.include('x');", ["!contains($.s, 'x')"]),
        ("pm.expect(pm.response.json().s).to.be.true;", ["$.s == true"]),
        ("pm.expect(pm.response.json().s).to.not.equal('x');", ["$.s != 'x'"]),
        ("pm.expect(pm.response.json().s).to.equal(pm.environment.get('wanted'));", ["$.s == {{wanted}}"]),
        ("if (pm.response.code === 200) { pm.environment.set('t', pm.response.json().token); }", ["set t = $.token"]),
        ("pm.globals.set('t', pm.response.headers.get('X-T'));", ["set t = response.headers['X-T']"]),
        ("postman.setEnvironmentVariable('id', JSON.parse(responseBody).ids[0]);", ["set id = $.ids[0]"]),
        (
            "pm.test('n', () => pm.expect(pm.response.json().ok).to.be.ok)",
            ["!contains(list(false, 0, ''), default($.ok, '')) // n"]
        ),
        (
            "pm.test('n', () => pm.expect(pm.response.json().a === 1 || false).to.be.true)",
            ["$.a == 1 || false // n"]
        ),
        ("pm.expect(pm.response.json().z).to.equal(undefined)", ["!exists($.z)"]),
        ("var e = 1; if (true) { var e = 2; }; pm.expect(pm.response.json().n).to.equal(e)", ["$.n == 2"]),
        (
            "var d = pm.response.json(); tests['n'] = d.a != 'x' && d.b != '2' && !(d.c == 0)",
            ["$.a != 'x' // n", "!contains(list(2, '2'), $.b) // n", "!contains(list(0, '0', false, ''), $.c) // n"]
        ),
        (
            "const j = pm.response.json(); pm.globals.set('g', j.n); pm.environment.set('g', j.a);"
                + "pm.expect(pm.globals.get('g')).to.equal(1); pm.expect(pm.variables.get('g')).to.equal('c')",
            ["$.n == 1", "$.a == 'c'", "set g = $.n", "set g = $.a"]
        ),
        (
            "if (pm.response.json().a) { tests['n'] = true } else { tests['n'] = false }",
            ["!contains(list(false, 0, ''), default($.a, '')) // n"]
        ),
        (
            "if (pm.response.code === 200) { pm.response.to.have.status(200); pm.response.to.have.status(201); }",
            ["!(response.status == 200) || response.status == 201"]
        ),
        ("pm.test('n', () => pm.expect(pm.response.json().a !== 1).to.be.true)", ["$.a != 1 // n"]),
        ("pm.test('n', () => pm.expect(pm.response.json().a !== 1).to.be.false)", ["($.a != 1) == false // n"]),
        (
            "if (pm.response.json().more) { pm.test('n', () => pm.expect(pm.response.json().next).to.exist) }",
            ["!(!contains(list(false, 0, ''), default($.more, ''))) || default($.next, null) != null // n"]
        ),
        ("pm.environment.set('a', 'x' + pm.response.json().id + 'y');", ["set a = concat(concat('x', $.id), 'y')"]),
        ("pm.environment.set('a', `x${pm.response.json().id}`);", ["set a = concat('x', $.id)"]),
        ("postman.setNextRequest(null);", ["end"]),
        ("console.log('x', pm.response.json());\n// a comment", []),
        ("'use strict';", []),
        ("const moment = require('moment'); const unused = moment().add(1);", []),
    ]

    @Test(arguments: tests)
    func `a test script becomes expectations and outputs`(_ pair: (script: String, result: [String])) {
        let translation = ScriptTranslator.translate(pair.script, isTest: true)
        #expect(translation.losses.map(\.statement) == [])
        #expect(Self.described(translation) == pair.result)
    }

    @Test(arguments: [
        "x = 1" + String(repeating: "+1", count: 20_000), "x = a" + String(repeating: ".a", count: 20_000),
        "x = " + String(repeating: "`${", count: 2_000),
    ])
    func `a script that is nested too deeply is reported`(script: String) {
        #expect(ScriptTranslator.translate(script, isTest: true).losses.count == 1)
    }

    private static func described(_ translation: ScriptTranslation) -> [String] {
        var result = translation.checks.map { check in
            switch check {
            case .status(let codes): "status \(codes.joined(separator: ","))"
            case .header(let name, let glob): "header \(name): \(glob)"
            case .condition(let text, let message): ManifestWriter.source(text) + (message.map { " // \($0)" } ?? "")
            case .maxTime(let time): "maxTime \(time)"
            case .equals(let text, _): "equals \(ManifestWriter.source(text))"
            }
        }
        result += translation.captures.map { "set \($0.variable) = \(ManifestWriter.source($0.expression))" }
        return result + (translation.endsRun ? ["end"] : [])
    }

    /// A script before a request, and the templates of what it sets.
    private static let assignments: [(script: String, value: String)] = [
        ("pm.environment.set('a', 'x');", "x"), ("pm.variables.set('a', Date.now());", "${epoch() * 1000}"),
        ("pm.variables.set('a', Math.floor(Date.now() / 1000));", "${epoch()}"),
        ("pm.variables.set('a', new Date().toISOString());", "${now()}"),
        ("pm.variables.set('a', pm.variables.replaceIn('{{$guid}}'));", "${uuid()}"),
        ("pm.globals.set('a', btoa('u:p'));", "${base64('u:p')}"),
        ("pm.globals.set('a', CryptoJS.MD5('foo').toString());", "${md5('foo')}"),
        ("pm.globals.set('a', '{{b}}-{{c}}');", "{{b}}-{{c}}"),
        (
            "pm.globals.set('a', CryptoJS.HmacSHA256('m', 'k').toString(CryptoJS.enc.Base64));",
            "${hmac('k', 'm', 'base64')}"
        ),
    ]

    @Test(arguments: assignments)
    func `a script before a request sets variables`(_ pair: (script: String, value: String)) {
        let translation = ScriptTranslator.translate(pair.script, isTest: false)
        #expect(translation.losses.map(\.statement) == [])
        #expect(translation.assignments.map { ManifestWriter.source($0.value) } == [pair.value])
    }

    /// Statements that are not translated, with the start of each.
    private static let losses: [(script: String, statements: [String])] = [
        ("for (var i = 0; i < 3; i++) { tests[i] = true; }\ntests['ok'] = responseCode.code === 200;", ["for ("]),
        ("pm.sendRequest('https://a', function (e, r) { pm.test('x', () => {}); });", ["pm.sendRequest"]),
        ("postman.setNextRequest('other');", ["postman.setNextRequest"]),
        ("function f() { return 1; }\nf();", ["function f", "f()"]),
        ("tests['x'] = undefined.alpha;", ["tests['x']"]),
        ("if (a) { b() } else { c() }", ["if (a)"]),
        (
            "let ok = false; if (pm.response.json().a === 'c') { ok = true; }\npm.test('x', () => pm.expect(ok).to.be.true);",
            ["ok = true", "pm.expect(ok)"]
        ),
        (
            "let ok = true; var x = (ok = false);\npm.test('x', () => pm.expect(ok).to.be.true);",
            ["pm.expect(ok)"]
        ),
        (
            "var ok = false; { let ok = true; }\npm.test('x', () => pm.expect(ok).to.be.true);",
            ["pm.expect(ok)"]
        ),
        ("let n = 0; n++; pm.test('x', () => pm.expect(n).to.equal(0));", ["n++", "pm.expect(n)"]),
        (
            "pm.environment.set('v', 1); pm.environment.clear(); pm.expect(pm.environment.get('v')).to.equal(1);",
            ["pm.expect(pm.environment"]
        ),
        ("tests['x'] = false;", ["tests['x']"]), ("pm.expect(1).to.equal(2);", ["pm.expect(1)"]),
        (
            "pm.environment.set('v', 1); pm.environment.unset('v');\npm.expect(pm.environment.get('v')).to.equal(1);",
            ["pm.expect(pm.environment"]
        ),
        ("pm.test('x', () => {", ["pm.test("]),
        ("var x = 'unclosed\npm.test('y', () => pm.response.to.be.ok);", []),
        ("((((", ["(((("]), ("}}}}", ["}", "}", "}", "}"]), ("/*", []), ("`${", ["`"]),
        (String(repeating: "(", count: 100_000), [String(repeating: "(", count: 9)]),
        (String(repeating: "!", count: 100_000) + "x", ["!!!"]),
    ]

    /// Scripts whose last statement fails in JavaScript, or passes with any response.
    private static let wrong: [String] = [
        // Variables that change in functions, loops, patterns and inner scopes.
        "let ok = true; j.l.forEach(x => { if (x > 1) ok = false; }); pm.expect(ok && j.a === 'c').to.be.true",
        "let n = j.n; const f = () => n++; f(); pm.expect(n).to.equal(1)",
        "let n = j.n; function f() { n = 2; } f(); pm.expect(n).to.equal(1)",
        "let e = j.a; for (e of ['q']) {}; pm.expect(e).to.equal('c')",
        "let e = j.a; for (e in j) {}; pm.expect(e).to.equal('c')",
        "let e = j.a; [e] = ['q']; pm.expect(e).to.equal('c')",
        "let e = j.a; ({ a: e = 'q' } = {}); pm.expect(e).to.equal('c')",
        "let e = j.a; switch (1) { default: e = 'q'; }; pm.expect(e).to.equal('c')",
        "let e = j.a; try { throw 1 } catch { e = 'q'; }; pm.expect(e).to.equal('c')",
        "let e = j.o; try { j.x.y(); e = j.a; } catch (x) {}; pm.expect(e).to.equal('c')",
        "let e = j.a; class A { static x = e = 'q'; }; pm.expect(e).to.equal('c')",
        "let e = j.a; eval('e = 1'); j.l.push(e); pm.expect(j.l).to.eql([1, 2])",
        "let e = j.n; pm.test('t', () => { if (j.a) return; e = j.a; }); pm.expect(e).to.equal('c')",
        "let e = j.n; pm.test('t', () => { { let e = 1; } e = j.a; e += 1; }); pm.expect(e).to.equal('c')",
        "let e; pm.expect(j.z).to.equal(e)", "let y = (e = j.a); y -= 1; pm.expect(y).to.equal('c')",
        // Objects that change.
        "const f = j.l.shift(); pm.expect(j.l[0]).to.equal(1)", "delete j.a; pm.expect(j.a).to.equal('c')",
        "pm.test('t', () => pm.expect(j.l.reverse()[0]).to.equal(2)); pm.expect(j.l[0]).to.equal(1)",
        "const o = Object.assign(j, { a: 'q' }); pm.expect(j.a).to.equal('c')",
        "_.set(j, 'a', 'q'); pm.expect(j.a).to.equal('c')", "change(j); pm.expect(j.a).to.equal('c')",
        "const o = j; o.a = 'q'; pm.expect(j.a).to.equal('c')", "j.n++; pm.expect(j.n).to.equal(1)",
        "j.list.forEach(x => { x.a = 'q' }); pm.expect(j.list[0].a).to.equal('c')",
        "const w = [j]; w[0].a = 'q'; pm.expect(j.a).to.equal('c')",
        "const a = [j.n]; const b = a; b.push(2); pm.expect(a).to.eql([1])",
        "_.find(j.l, x => x.id).a = 'q'; pm.expect(j.l[0].a).to.equal('c')",
        "res.body.a = 'q'; pm.expect(res.body.a).to.equal('c')", "res.setBody({}); pm.expect(res.body.a).to.equal('c')",
        // The scopes of variables.
        "pm.environment.set('g', j.a); pm.expect(pm.globals.get('g')).to.equal('c')",
        "bru.setEnvVar('g', j.a); pm.expect(bru.getVar('g')).to.equal('c')",
        "pm.environment.clear(); pm.expect(j.a).to.equal(pm.environment.get('g'))",
        "pm.environment.set('g', null); pm.expect(j.a).to.equal(pm.environment.get('g'))",
        "j.l.map(x => pm.environment.set('g', x)); pm.expect(j.a).to.equal(pm.environment.get('g'))",
        "pm.environment.set(j.a, 1); pm.expect(j.a).to.equal(pm.environment.get('g'))",
        // Comparisons.
        "pm.expect(j.l).to.equal([1, 2])", "pm.expect(j.o).to.equal({ x: 1 })", "tests['x'] = j.l == [1, 2]",
        "const w = [1]; pm.expect(j.l).to.equal(w)", "pm.expect(j).to.have.property('l', [1])",
        "pm.expect(j.l[-1]).to.equal(2)", "pm.expect(j.a || false).to.be.true",
        "pm.expect(j.l).to.be.oneOf([[1, 2]])", "pm.expect([[1]]).to.include(j.l)", "tests['x'] = j.a != j.n",
        // What passes with any response.
        "pm.expect(j.id).to.eql(j.id)", "let v = j.id; tests['x'] = v === j.id", "tests['x'] = 'a' in j || true",
        "j = JSON.parse(responseBody, (k, v) => 7); pm.expect(j.a).to.equal('c')",
        "pm.expect(1).to.equal(1)", "tests['x'] = true", "pm.test('x', () => {})",
        "const ok = true; pm.expect(ok).to.be.true",
        "let d = false; if (d) { pm.expect(j.a).to.equal('q') }", "const r = expect(j.l.at(0)).to.equal(1)",
    ]

    @Test(arguments: wrong)
    func `a test whose values are not certain is reported`(script: String) throws {
        let translation = ScriptTranslator.translate("let j = pm.response.json(); " + script, isTest: true)
        let last = try #require(script.split(separator: ";").last).drop { $0 == " " }
        #expect(translation.losses.contains { $0.statement.hasPrefix(last.prefix(12)) }, "\(translation)")
    }

    @Test(arguments: [
        "const { expect } = require('chai'); expect(res.body.a).to.equal(1);",
        "const j = res.getBody(); const sorted = [...j.items].sort(); expect(j.a).to.equal(1);",
        "const j = res.getBody(); Object.prototype.hasOwnProperty.call(j, 'b'); expect(j.a).to.equal(1);",
    ])
    func `a module and a sorted copy change nothing`(script: String) {
        #expect(Self.described(ScriptTranslator.translate(script, isTest: true)).contains("$.a == 1"))
    }

    @Test func `functions, loops, patterns and new objects that change nothing else leave a test as it is`() {
        let script = """
            const d = pm.response.json(), ids = [];
            let n = 0, first;
            pm.test('all', () => {
              d.l.filter(({ id }) => id > 1).forEach((x, i = 0) => { ids.push(x.id); console.log(`${x.id}`); });
              for (const { id, ...rest } of d.l) { n += id; switch (id) { case 1: n++; break; default: first = rest; } }
            });
            async function sum(a, ...others) { try { return others.reduce((x, y) => x + y, a); } finally { n = 0; } }
            if (d.a) { var e = Object.keys(d); }
            pm.test('n', async (done) => { const { s: own } = d; pm.expect(d.s).to.eql([1]); done(); });
            """
        #expect(Self.described(ScriptTranslator.translate(script, isTest: true)) == ["$.s == list(1) // n"])
    }

    @Test(arguments: losses)
    func `any other statement is reported`(_ pair: (script: String, statements: [String])) {
        let translation = ScriptTranslator.translate(pair.script, isTest: true)
        #expect(translation.losses.count >= pair.statements.count)
        for (loss, start) in zip(translation.losses, pair.statements) {
            #expect(loss.statement.hasPrefix(start), "\(loss.statement)")
        }
    }
}
