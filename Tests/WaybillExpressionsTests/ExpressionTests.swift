import Testing
import WaybillExpressions
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct ExpressionTests {
    static let data: JSON = [
        "code": 200, "items": [["id": "a", "price": 5], ["id": "b", "price": 12, "ok": false]], "odd name": 1,
        "nil": .null,
    ]

    @Test(
        arguments: [
            ("$", data), ("$.code", 200), ("$['odd name']", 1), ("$.items[*].id", ["a", "b"]),
            ("$.items[-1].id", "b"), ("$..id", ["a", "b"]), ("$.nope[*]", []), ("$.items[?@.price > 10].id", ["b"]),
            ("$.items[?@.id == inputs.name].id", []), ("$.items[?@.ok].id", ["b"]), ("$.items[?!@.ok].id", ["a"]),
            ("$.items[?@.price > inputs.count + 4].id", ["b"]), ("$.items[?upper(@.id) == 'A'].id", ["a"]),
            ("$.items[?default(@.ok, true)].id", ["a"]), ("$.items[?upper(@.price) == 'A']", []),
            ("$.items[?@.price / 0 > 1]", []), ("$.items[?exists(@.ok)].id", ["b"]),
            ("$.items[?match(@.id, vars.pattern)].id", ["a"]), ("$.items[?match(@.id, vars.bad)].id", []),
            ("$.items[?match(@.id, 'a') == true].id", ["a"]), ("$.items[?not(@.ok)].id", ["a"]),
            ("inputs.name", "ann"), ("inputs.user-id", "u-1"), ("inputs['user-id']", "u-1"),
            ("steps.login.data.users[1].name", "bob"), ("steps.login.data.users[*].name", ["ann", "bob"]),
            ("inputs", ["count": 3, "flag": true, "name": "ann", "nothing": .null, "user-id": "u-1"]),
            ("steps.login.outputs[*]", ["t-1", 7]), ("steps..id", [1, 2]),
            ("response.headers.content-type", "a value"), ("response.headers['ETAG']", "a value"),
            ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("7 / 2", 3.5), ("8 / 2", 4), ("7 % 3", 1), ("0 - 7 % 3", -1),
            ("0.5 + 0.25", 0.75), ("5.5 % 2", 1.5), ("1 - -1", 2), ("1e2 + 1", 101),
            ("9223372036854775806 + 1", 9_223_372_036_854_775_807), ("1 < 2 && 2 < 3 || false", true),
            ("true || $.nope", true), ("false && $.nope", false), ("!(1 == 1)", false), ("!inputs.flag", false),
            ("'a' < 'b'", true), ("'a' == \"a\"", true), ("'\\u00e9' == 'e\\u0301'", false), ("1 == 1.0", true),
            ("null == inputs.nothing", true), ("'\\uD83D\\uDE00'", "\u{1F600}"), ("'it\\'s'", "it's"),
            ("(inputs)['name']", "ann"), ("split('a,b', ',')[?@ == 'b'][0]", []),
            ("  1  ", 1), ("true", true), ("null", .null), ("$ .code", 200), ("inputs.count==3", true),
        ] as [(String, JSON)]
    )
    func `an expression evaluates to the expected value`(text: String, expected: JSON) throws {
        #expect(try evaluate(text, Self.data) == expected)
    }

    @Test(
        arguments: [
            ("$.code == 404", "$.code is 200"),
            ("$.code > 1 && $.code < inputs.count", "$.code is 200, inputs.count is 3"),
            ("$.code + inputs.count * 2 == 1", "$.code + inputs.count * 2 is 206, $.code is 200, inputs.count is 3"),
            ("contains($.items[*].id, 'c')", #"$.items[*].id is ["a","b"]"#),
            (
                "contains($.items[*].id, 'a') == false",
                #"contains($.items[*].id, 'a') is true, $.items[*].id is ["a","b"]"#
            ),
            ("startsWith(inputs.name, 'b')", #"inputs.name is "ann""#),
            ("endsWith(upper(inputs.name), inputs.user-id)", #"upper(inputs.name) is "ANN", inputs.user-id is "u-1""#),
            ("match(inputs.name, 'b.*')", #"inputs.name is "ann""#),
            ("search(inputs.user-id, vars.pattern)", #"inputs.user-id is "u-1", vars.pattern is "a.*""#),
            ("exists($.items[0].name)", "nothing matches $.items[0].name; available: 'id', 'price'"),
            ("exists($.items[?@.price > 20])", "$.items[?@.price > 20] is []"),
            ("exists(steps.skipped.data)", "'steps.skipped' has no value: the step was skipped"),
            ("not(exists($.code))", "$.code is 200"), ("!($.code == 200 && inputs.flag)", "$.code is 200"),
            ("if(inputs.flag, $.code == 1, true)", "$.code is 200"),
            ("default($.none, $.items[1].ok)", "$.items[1].ok is false"),
            ("$.code < 1 || $.code > 300", "$.code is 200"), ("length($.items) == 3", "length($.items) is 2"),
            // Nothing of a secret is shown.
            ("contains(secrets.password, 'x')", nil), ("secrets.password == inputs.name", #"inputs.name is "ann""#),
            ("$.items[1].ok", nil), ("false", nil),
        ] as [(String, String?)]
    )
    func `a condition that is false is explained by its operands`(text: String, values: String?) throws {
        let scope = EvaluationScope.sample(Self.data)
        #expect(try Expression(parsing: text).condition(in: scope) == false)
        #expect(try Expression(parsing: text).falsifyingValues(in: scope) == values)
    }

    @Test func `item is the current element, and is undefined if there is none`() throws {
        #expect(try evaluate("item.a + 1", item: ["a": 1]) == 2)
        let error = try #require(try evaluationError("item.a"))
        #expect(error.message == "'item' is not defined here: 'item' is the element in map, where, sort and columns")
    }

    @Test(
        arguments: [
            ("$.cod", "nothing matches $.cod; available: 'code', 'items', 'odd name', 'nil'", "$.cod", .missing),
            ("1 + $.code.x", "nothing matches $.code.x: $.code is a number", "$.code.x", .missing),
            ("$.items[2].id", "nothing matches $.items[2]: $.items has 2 elements", "$.items[2].id", .missing),
            (
                "stpes.login",
                "'stpes' is not defined here; available: 'steps', 'inputs', 'response', 'secrets', 'vars'",
                "stpes.login", .missing
            ),
            (
                "inputs.nmae", "nothing matches inputs.nmae; available: 'name', 'count', 'flag', 'nothing', 'user-id'",
                "inputs.nmae", .missing
            ),
            (
                "inputs.count-1", "nothing matches inputs.count-1; to subtract, put spaces around '-'",
                "inputs.count-1", .missing
            ),
            (
                "secrets.password.x", "nothing matches secrets.password.x: secrets.password is a string",
                "secrets.password.x", .missing
            ),
            (
                "steps.skipped.data", "'steps.skipped' has no value: the step was skipped", "steps.skipped.data",
                .unavailable
            ),
            (
                "$.items[?id == 'a']",
                "'id' is not defined here; available: 'inputs', 'response', 'secrets', 'steps', 'vars'"
                    + " (a member of the element is @.id)", "id", .unavailable
            ),
            (
                "$.items[?default(@.price, 1)]", "a condition must be true or false, found a number",
                "default(@.price, 1)", .type
            ),
            ("$.code && true", "a condition must be true or false, found a number", "$.code", .type),
            ("$.code + $.items", "'+' requires numbers, found a list", "$.items", .type),
            (
                "inputs.name + inputs.name",
                "'+' requires numbers, found a string; to join strings, write concat(a, b)", "inputs.name", .type
            ),
            ("1 / 0", "division by 0", "1 / 0", .value),
            ("1.5 % 0", "division by 0", "1.5 % 0", .value),
            ("9223372036854775807 + 1", "the result does not fit into 64 bits", "9223372036854775807 + 1", .value),
            (
                "12345678901234567890 + 1", "cannot compute exactly with an integer that does not fit into 64 bits",
                "12345678901234567890 + 1", .value
            ),
            ("1e308 * 10", "the result is too large for a number in double precision", "1e308 * 10", .value),
            ("$.a", "nothing matches $.a; available: 'code', 'items', 'odd name', 'nil'", "$.a", .missing),
        ] as [(String, String, String, EvaluationError.Kind)]
    )
    func `an error reports what was found, and where`(
        text: String,
        message: String,
        place: String,
        kind: EvaluationError.Kind
    ) throws {
        let error = try #require(try evaluationError(text, Self.data))
        #expect(error.message == message)
        #expect(part(text, error.range) == place)
        #expect(error.kind == kind)
    }

    @Test func `without a current value, the dollar sign has no value`() throws {
        #expect(try evaluationError("$.a")?.message == "'$' has no value here")
        #expect(try evaluate("default($.a, 1)") == 1)
    }

    @Test func `the member names of a secret value are not shown`() throws {
        let scope = EvaluationScope.sample(["pin": 1], secretCurrent: true)
        let error = #expect(throws: EvaluationError.self) { try Expression(parsing: "$.pni").evaluate(in: scope) }
        #expect(error?.message == "nothing matches $.pni")
    }

    @Test(
        arguments: [
            ("secrets.password", true), ("concat('a', secrets.password)", true), ("secrets", true),
            ("default(inputs.nope, secrets.password)", true), ("default(inputs.name, secrets.password)", false),
            ("base64(secrets.password)", true), ("steps.login.outputs.token", true), ("steps.login.outputs", true),
            ("steps.login.outputs.userId", false), ("split(secrets.password, 'e')[0]", true),
            ("capture(secrets.password, '.')", true),
            ("secrets.password == 'x'", false), ("exists(secrets.password)", false),
            ("length(secrets.password)", false),
            ("count(secrets[*])", false), ("sha256(secrets.password)", false), ("hmac(secrets.password, 'a')", false),
            ("startsWith(secrets.password, 'h')", false), ("number('1')", false),
        ]
    )
    func `a value derived from a secret is secret`(text: String, isSecret: Bool) throws {
        let expression = try Expression(parsing: text)
        #expect(try expression.evaluate(in: .sample()).isSecret == isSecret)
    }

    @Test func `the result of arithmetic on a secret is secret`() throws {
        let scope = EvaluationScope.sample(5, secretCurrent: true)
        #expect(try Expression(parsing: "$ + 1").evaluate(in: scope) == ScopeValue(6, isSecret: true))
        #expect(try Expression(parsing: "$[*]").evaluate(in: scope) == ScopeValue([], isSecret: true))
    }

    @Test func `a condition must be a boolean`() throws {
        #expect(try Expression(parsing: "inputs.count == 3").condition(in: .sample()))
        #expect(try !Expression(parsing: "inputs.count > 3").condition(in: .sample()))
        let error = #expect(throws: EvaluationError.self) {
            try Expression(parsing: "inputs.count").condition(in: .sample())
        }
        #expect(error?.message == "a condition must be true or false, found a number")
        #expect(try Expression(parsing: "inputs.count").checkCondition() == nil)
        #expect(try Expression(parsing: "inputs.count + 1").checkCondition()?.range == 0..<16)
        #expect(
            try Expression(parsing: "$.items[*]").checkCondition()?.message
                == "a condition must be true or false, found a list"
        )
    }

    @Test(
        arguments: [
            ("1", .number), ("'a'", .string), ("$.a", .any), ("$.a[*]", .array), ("1 == 2", .boolean),
            ("1 + $.x", .number), ("split('a', 'b')", .array),
            ("default($.x, 1)", [.boolean, .number, .string, .bytes, .array, .object]),
            ("default(upper($.x), 1)", [.number, .string]), ("!true", .boolean), ("('a')", .string), ("null", .null),
        ] as [(String, ExpressionType)]
    )
    func `the result type is as precise as possible`(text: String, type: ExpressionType) throws {
        #expect(try Expression(parsing: text).resultType == type)
    }

    @Test(
        arguments: [
            ("1 + 2", true), ("upper('a')", true), ("$.a", false), ("inputs.a", false), ("now()", false),
            ("uuid()", false), ("file('a')", false), ("split('a', ',')[?@ == 'a']", true),
            ("split('a', ',')[?@ == inputs.a]", false),
        ]
    )
    func `an expression is constant if it uses no variable input`(text: String, isConstant: Bool) throws {
        #expect(try Expression(parsing: text).isConstant == isConstant)
    }

    @Test(arguments: [
        ("$", []), ("$.a", ["a"]), ("$.items[0].id", ["items", "0", "id"]), ("inputs", []),
        ("steps.login.outputs.token", ["login", "outputs", "token"]), (" inputs.user-id\n", ["user-id"]),
        ("a--b.c-1[12]", ["c-1", "12"]), ("_x.y_z", ["y_z"]), ("item[999999999999999]", ["999999999999999"]),
        ("trueish.null", ["null"]), ("x.true", ["true"]), ("a[0][1].b", ["0", "1", "b"]),
    ])
    func `a path alone is one complete reference`(text: String, segments: [String]) throws {
        let references = try Expression(parsing: text).references
        #expect(references.map(\.isComplete) == [true])
        #expect(references.first?.segments.map { part(text, $0.range) } == segments)
        #expect(references.first.map { "\(part(text, $0.range))" } == text.filter { !$0.isWhitespace })
    }

    @Test func `references have a root, segments and a guard`() throws {
        let text = "concat(steps.a['b'][0].c[*].d, default(inputs.x, item.y), exists($.z)) == vars..q[?@.i == data.w]"
        let references = try Expression(parsing: text).references
        #expect(references.map(\.name) == ["steps", "inputs", "item", "$", "vars", "data"])
        #expect(references.map(\.isGuarded) == [false, true, false, true, false, false])
        #expect(references.map(\.isComplete) == [false, true, true, true, false, true])
        #expect(references[0].segments.map(\.key) == [.name("a"), .name("b"), .index(0), .name("c")])
        #expect(references[0].segments.map { part(text, $0.range) } == ["a", "'b'", "0", "c"])
        #expect(part(text, references[0].range) == "steps.a['b'][0].c[*].d")
        #expect(part(text, references[0].nameRange) == "steps")
        #expect(references[4].segments.isEmpty)
        #expect(part(text, references[5].range) == "data.w")
        #expect(references[0].childSegments?.map { part(text, $0.range) } == ["d"])
        #expect(references.map { $0.childSegments == nil } == [false, true, true, true, true, true])
        #expect(references.map(\.goesOn) == [false, false, false, false, true, false])
    }

    @Test(
        arguments: [
            ("inputs.a", false), ("concat(inputs.a, 'x')", false), ("default(inputs.a, 'x')", false),
            ("inputs.a == 'x'", true), ("!(inputs.a)", true), ("inputs.a || false", true), ("exists(inputs.a)", true),
            ("sha256(inputs.a)", true), ("length(inputs.a)", true), ("upper(sha256(inputs.a))", true),
            ("split('a,b', ',')[?@ == inputs.a]", true), ("replace(sha256('a'), 'b', inputs.a)", false),
        ]
    )
    func `a reference is concealed if the result does not reveal its value`(text: String, isConcealed: Bool)
        throws
    {
        #expect(try Expression(parsing: text).references.map(\.isConcealed) == [isConcealed])
    }

    @Test(
        arguments: [
            ("$.a[?@.ok]", "@.ok", "Write '@.ok == true', or 'exists(@.ok)' to test for existence."),
            ("$.a[?@.x == 1 && (@.ok)]", "@.ok", "Write '@.ok == true', or 'exists(@.ok)' to test for existence."),
            ("count($.a)", "count($.a)", "For the number of elements in a list, write length(x)."),
            ("$.a[?length(1) >= 2]", "1", "Write length(value)."),
            ("$.a[?match(@.b, 2)]", "2", "Write match(text, pattern)."),
            ("$.a[?search(@.b, '(')]", "'('", "An invalid pattern matches nothing."),
            ("upper($.a) == 1", "upper($.a) == 1", "Convert one side with number(x) or string(x)."),
        ]
    )
    func `an expression that is probably unintended gets a warning`(text: String, place: String, help: String) throws {
        let warnings = try Expression(parsing: text).warnings
        #expect(warnings.map { part(text, $0.range) } == [place])
        #expect(warnings.first?.help == help)
    }

    @Test(arguments: ["$.a[?!@.ok]", "$.a[?exists(@.ok)]", "$.a[?@.ok == true]", "$.a[?@.*]", "$.a[?@]", "$.a == 1"])
    func `an intended expression gets no warning`(text: String) throws {
        #expect(try Expression(parsing: text).warnings == [])
    }

    @Test func `canonically equivalent patterns are different patterns`() throws {
        let rows: JSON = [["text": "\u{E9}", "pattern": "\u{E9}"], ["text": "e\u{301}", "pattern": "e\u{301}"]]
        #expect(try evaluate("count($[?match(@.text, @.pattern)])", rows) == 2)
    }
}
