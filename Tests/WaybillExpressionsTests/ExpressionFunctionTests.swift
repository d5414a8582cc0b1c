import Testing
import WaybillExplanations
import WaybillExpressions
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct ExpressionFunctionTests {
    static let cases: [(String, JSON)] = [
        ("length('häu\u{1F600}')", 4), ("length(vars.list)", 3), ("length(vars)", 3),
        ("count(vars.list[*])", 3), ("count(vars.list[9])", 0), ("count(vars.nope[*])", 0),
        ("match('abc', 'a.c')", true), ("match('abcd', 'a.c')", false), ("match('ann', inputs.name)", true),
        ("search('xabcx', 'a.c')", true), ("search('xy', 'a.c')", false),
        ("value(vars.list[2:])", 2),
        ("xpath('<a><b n=\"1\">x</b><b>y<c/>z</b></a>', '//b')", ["<b n=\"1\">x</b>", "<b>y<c/>z</b>"]),
        ("xpath(xpath('<a><b><c>1</c></b></a>', 'b')[0], 'number(c) + 1')", 2),
        ("xpath('<a b=\"x\">1<![CDATA[<]]><!--c--></a>', '@*|node()')", ["x", "1", "<", "c"]),
        ("xpath('<a/>', 'string(b)')", ""), ("xpath('<a/>', 'b')", []), ("xpath('<a/>', 'not(b)')", true),
        ("default(xpath('<a/>', 'number(b)'), 'none')", "none"), ("xpath('<a>&lt;&#233;</a>', 'string()')", "<é"),
        ("xpath('<x:a xmlns:x=\"u\"><x:b x:c=\"1\"/></x:a>', '*')", ["<x:b xmlns:x=\"u\" x:c=\"1\"/>"]),
        ("apply('skus', list(parse('{\"sku\":1}')))", [1]),
        ("get(vars, 'list')", [3, 1, 2]), ("default(get(vars, 'nope'), 0)", 0), ("exists(get(vars, 'nope'))", false),
        ("capture('<b>x</b><b>y</b>', '<b>(.*?)</b>')", "x"), ("captures('aXbXX', '.+?X')", ["aX", "bX"]),
        ("capture('aaaa', 'a{2,3}?')", "aa"), ("match('aab', 'a??a*?b')", true),
        ("default(vars.nope, 'x')", "x"), ("default(inputs.nothing, vars.no, 5)", 5), ("default(inputs.count, 5)", 3),
        ("default(first(vars.nope), 1)", 1), ("default(capture('a', 'b'), 'none')", "none"),
        ("default(steps.skipped.data, 'skipped')", "skipped"), ("default(vars.nope == 1, 'gone')", "gone"),
        ("exists(inputs.nothing)", true), ("exists(vars.nope)", false), ("exists(nowhere.x)", false),
        ("exists(steps.skipped.data)", false), ("exists(first(vars.list[9:]))", false),
        ("not(inputs.flag)", false), ("not(1 == 2)", true),
        ("concat('a', 1, true, '\\u00e9')", "a1trueé"), ("concat(vars.list, vars.list)", [3, 1, 2, 3, 1, 2]),
        ("lower('ÄB')", "äb"), ("upper('äb')", "ÄB"), ("trim(' \\t a b\\n')", "a b"), ("trim('  ')", ""),
        ("split('a,b,,c', ',')", ["a", "b", "", "c"]), ("split('', ',')", [""]), ("split('añ', '')", ["a", "ñ"]),
        ("split('aXXXb', 'XX')", ["a", "Xb"]), ("split('a,b', ',')[1]", "b"), ("split('a,b', ',')[-1]", "b"),
        ("join(vars.list, '-')", "3-1-2"), ("join(split('', '')[5:], ',')", ""),
        ("replace('aXbX', 'X', 'yy')", "ayybyy"), ("replace('abababc', 'ababc', '-')", "ab-"),
        ("contains('abc', 'bc')", true), ("contains('abc', '')", true), ("contains('abc', 'cb')", false),
        ("contains(vars.list, 1.0)", true), ("contains(vars.list, '1')", false), ("contains(vars, 'list')", true),
        ("startsWith('abc', 'ab')", true), ("startsWith('a', 'ab')", false),
        ("endsWith('abc', 'bc')", true), ("endsWith('c', 'bc')", false),
        ("capture('id=42;', 'id=([0-9]+)')", "42"), ("capture('id=42', '[0-9]+')", "42"),
        ("captures('a=1, b=22;', '[a-z]=([0-9]+)')", ["1", "22"]), ("captures('äbä', 'ä')", ["ä", "ä"]),
        ("captures('aéb', 'x*')", ["", "", "", ""]), ("captures('aab', '^a')", ["a"]), ("captures('b', 'a')", []),
        ("captures('aba', 'a|b')", ["a", "b", "a"]),
        ("if(vars.list[0] > 2, 'a', 'b')", "a"), ("if(false, 1, null)", .null),
        ("if(exists(vars.nope), vars.nope, 'none')", "none"), ("if(true, 1, first(vars.list[9:]))", 1),
        ("if(inputs.flag && vars.list[1] == 1, list(1), 2)[0]", 1),
        ("list()", []), ("list(1, 'a', vars.list)", [1, "a", [3, 1, 2]]),
        ("round(2.5)", 3), ("round(-2.5)", -3), ("round(2.4999)", 2), ("round(-0.4)", 0), ("round(1.005, 2)", 1.01),
        ("string(round(1.999, 2))", "2"), ("round(12, 3)", 12), ("round(1.5e1)", 15), ("round(1.25e-1, 2)", 0.13),
        ("round(9999999999999999.999)", 10_000_000_000_000_000), ("string(round(1e400))", "1e400"),
        ("length(bytes('broken.bin'))", 1), ("base64(bytes('greeting.txt'))", "aMOpbGxv"),
        ("number('-1.50')", -1.5), ("number(7)", 7), ("string(true)", "true"), ("string(1.50)", "1.50"),
        ("json(steps.login.data.users[0])", "{\"id\":1,\"name\":\"ann\"}"), ("json('a')", "\"a\""),
        ("json(1.50)", "1.50"), ("parse('{\"a\":[1]}').a[0]", 1), ("parse('null')", .null),
        ("base64('hé')", "aMOp"), ("base64('a')", "YQ=="), ("base64('')", ""),
        ("unbase64('aMOp')", "hé"), ("unbase64('YQ==')", "a"), ("unbase64('YQ')", "a"), ("unbase64('Pz8_')", "???"),
        ("urlencode('a b/ü~')", "a%20b%2F%C3%BC~"), ("urlencode(5)", "5"), ("raw('a/b')", "a/b"),
        ("md5('abc')", "900150983cd24fb0d6963f7d28e17f72"),
        ("sha1('abc')", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "sha512('abc')",
            .string(
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            )
        ),
        ("sha256(bytes('greeting.txt'), 'base64')", "PEhZHY0JikU49eAT389AbpSOrE0yd7EL9hTildYGgXk="),
        ("sha256('abc')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("sha256('abc', 'base64')", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        ("sha256('abc', 'base64url')", "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"),
        // RFC 4231, test case 2
        (
            "hmac('Jefe', 'what do ya want for nothing?')",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        ("keys(vars)", ["list", "pattern", "bad"]), ("values(steps.login.data.users[0])", [1, "ann"]),
        ("first(vars.list)", 3), ("last(vars.list)", 2), ("sum(vars.list)", 6), ("sum(vars.list[9:])", 0),
        ("sum(steps.login.data.users[*].id)", 3),
        ("min(vars.list)", 1), ("max(vars.list)", 3), ("max(split('b,a,ä', ','))", "ä"),
        ("sort(vars.list)", [1, 2, 3]), ("sort(split('b,a', ','))", ["a", "b"]),
        ("unique(concat(vars.list, vars.list))", [3, 1, 2]),
        ("range(3)", [0, 1, 2]), ("range(1, 3)", [1, 2]), ("range(5, 0, 0 - 2)", [5, 3, 1]), ("range(0)", []),
        ("now()", "2026-11-21T05:27:03.041Z"), ("epoch()", 1_795_238_823),
        ("epoch('1970-01-02T00:00:00+01:00')", 82_800), ("epoch('1969-12-31')", -86_400),
        ("epoch('2000-02-29T12:00:00.5Z')", 951_825_600.5), ("string(epoch('1969-12-31T23:59:59.75Z'))", "-0.25"),
        ("string(epoch('2026-11-21T05:27:03.902Z'))", "1795238823.902"),
        ("date(0)", "1970-01-01T00:00:00.000Z"), ("date(1.5)", "1970-01-01T00:00:01.500Z"),
        ("date('2026-11-21T05:27:03.041+02:00')", "2026-11-21T03:27:03.041Z"),
        (
            "date('2024-12-31', '%Y/%m/%d %H:%M:%S.%L %j %a %A %b %B %s %F %T %z %%')",
            "2024/12/31 00:00:00.000 366 Tue Tuesday Dec December 1735603200 2024-12-31 00:00:00 +0000 %"
        ),
        ("uuid()", "0188f1d2-0000-7000-8000-000000000001"), ("file('greeting.txt')", "héllo"),
    ]

    @Test(arguments: cases)
    func `a function returns the expected result`(text: String, expected: JSON) throws {
        #expect(try evaluate(text) == expected)
    }

    @Test(arguments: ExpressionFunction.all.map(\.name))
    func `the documented example of a function has the documented result`(name: String) throws {
        let explanation = try #require(FunctionExplanation.of(name), "add it to Sources/CExplanations/functions.json")
        #expect(explanation.call.contains("\(name)("))
        let result = try evaluate(explanation.call, FunctionExplanation.data)
        #expect(result == explanation.result || name == "uuid")
    }

    @Test func `every function is documented once, in the order of the code`() {
        #expect(FunctionExplanation.all.map(\.function.name) == ExpressionFunction.all.map(\.name))
    }

    @Test func `every function is tested`() {
        let untried = ExpressionFunction.all.map(\.name).filter { name in
            !Self.cases.contains { $0.0.contains("\(name)(") }
        }
        #expect(untried == [])
    }

    @Test(
        arguments: [
            (
                "length(vars.list[0])", .type,
                "length() expects a string, bytes, a list or an object here, found a number"
            ),
            ("value(vars.list[*])", .missing, "value() requires exactly one match, found 3"),
            ("lower(vars.list)", .type, "lower() expects a string here, found a list"),
            ("join(vars.list, vars.list[0])", .type, "join() expects a string here, found a number"),
            (
                "join(steps.login.data.users, ',')", .type,
                "cannot join an object: strings, numbers and booleans only"
            ),
            ("replace('a', '', 'b')", .value, "replace() needs a part that is not empty"),
            ("number('1x')", .value, "number() requires a string that contains a number in JSON notation"),
            ("number(' 1')", .value, "number() requires a string that contains a number in JSON notation"),
            ("number('true')", .value, "number() requires a string that contains a number in JSON notation"),
            ("parse('[1,')", .value, "parse() requires a string of JSON: it is invalid at byte 3"),
            ("unbase64('*')", .value, "unbase64() requires a string in Base64"),
            ("unbase64('/w==')", .value, "the bytes decoded by unbase64() are not valid UTF-8"),
            ("sha256('a', 'octal')", .value, "the encoding of a digest must be 'hex', 'base64' or 'base64url'"),
            ("first(vars.list[9:])", .missing, "first() has no result: the list is empty"),
            (
                "sort(steps.login.data.users[0][*])", .type,
                "sort() requires a list of numbers or of strings, found a number and a string in it"
            ),
            ("sum(steps.login.data.users)", .type, "sum() requires a list of numbers, found an object in it"),
            ("range(0, 1000000000)", .limit, "range() returns at most 10000000 elements"),
            ("range(-9223372036854775808)", .value, "range() requires integers within ±2^53"),
            ("range(1.5)", .value, "range() requires integers within ±2^53"),
            ("range(0, 5, 0)", .value, "the step of range() must not be 0"),
            (
                "xpath('<a>\\n<b></a>', '/')", .value,
                "xpath() requires a string of well-formed XML: it is invalid in line 2; an attribute or a text that xpath() "
                    + "found is not XML"
            ),
            (
                "xpath('<a/>', 'number(b)')", .missing,
                "the result of xpath() is not a number (NaN), or is infinite"
            ),
            ("get(vars, 'nope')", .missing, "get() has no result: the object has no member with this name"),
            ("capture('a', 'b')", .missing, "the pattern of capture() does not match the string"),
            (
                "match('a', vars.bad)", .value,
                "the pattern is not a valid I-Regexp (RFC 9485): unclosed '('"
            ),
            ("date('yesterday')", .value, "'yesterday' is not a time of the form 2026-11-21T05:27:03Z (RFC 3339)"),
            ("date('2026-02-29')", .value, "'2026-02-29' is not a time of the form 2026-11-21T05:27:03Z (RFC 3339)"),
            ("date(1e300)", .value, "the number of seconds is too large for a time"),
            (
                "date(0, '%Q')", .value,
                "a date format supports %Y %m %d %H %M %S and others, not '%Q'"
            ),
            ("bytes('nope')", .value, "bytes() cannot read the file: it does not exist"),
            ("round(1, 16)", .value, "the digits of round() must be an integer from 0 to 15"),
            ("round(1, 0.5)", .value, "the digits of round() must be an integer from 0 to 15"),
            ("file('nope')", .value, "file() cannot read the file: it does not exist"),
            ("file('broken.bin')", .value, "file() cannot read the file: it is not valid UTF-8"),
        ] as [(String, EvaluationError.Kind, String)]
    )
    func `a failed function reports the reason`(text: String, kind: EvaluationError.Kind, message: String) throws {
        let error = try #require(try evaluationError(text))
        #expect(error.kind == kind)
        #expect(error.message == message)
    }

    @Test(
        arguments: [
            ("lenght(vars)", "unknown function 'lenght'", "lenght", "Did you mean 'length'?"),
            ("lower()", "wrong number of arguments: found 0 arguments", "lower()", "Write lower(text)."),
            (
                "join(vars.list)", "wrong number of arguments: found 1 argument", "join(vars.list)",
                "Write join(list, separator)."
            ),
            ("lower(1 + 1)", "lower() expects a string here, found a number", "1 + 1", "Write lower(text)."),
            ("sum('a')", "sum() expects a list here, found a string", "'a'", "Write sum(list)."),
            (
                "exists($.a == 1)", "this is always true: exists() says whether a path selects anything",
                "exists($.a == 1)",
                "Leave exists() out to use the condition itself."
            ),
            (
                "count(split('a', ','))", "count() requires a path", "split('a', ',')",
                "For the number of elements in a list, write length(x)."
            ),
            (
                "match('a', '\\\\d')",
                "the pattern is not a valid I-Regexp (RFC 9485): I-Regexp (RFC 9485) does not support '\\d': write [0-9]",
                "'\\\\d'", nil
            ),
            (
                "not('a')", "a condition must be true or false, found a string", "'a'",
                "Compare it with a value, as in 'x == 1'."
            ),
        ] as [(String, String, String, String?)]
    )
    func `an invalid call is rejected`(text: String, message: String, place: String, help: String?) {
        let error = #expect(throws: ExpressionSyntaxError.self) { try Expression(parsing: text) }
        #expect(error?.message == message)
        #expect(error.map { part(text, $0.range) } == place)
        #expect(error?.help == help)
    }

    @Test func `a function has a signature`() {
        #expect(ExpressionFunction.named("range")?.signature == "range(start, [end], [step])")
        #expect(ExpressionFunction.named("concat")?.signature == "concat(value, …)")
    }
}
