import Testing
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct JSONNumberTests {
    private func number(_ text: String) throws -> JSONNumber {
        try #require(JSONNumber(parsing: text))
    }

    @Test(
        arguments: [
            "0", "-0", "-0.0", "1.10", "0.001", "-0.50", "100", "12345678901234567890", "9999999999999999999",
            "0.000000000000000001", "0.0000000000000000000001", "1e400", "1E+05", "-1.5e-007", "18446744073709551616",
            "1e999999999999", "3.141592653589793238462643383279502884197",
        ]
    )
    func `a number is written as it was read`(text: String) throws {
        #expect(try number(text).text == text)
    }

    @Test(arguments: [
        "", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "NaN", " 1", "1 ", "１", "1.e1", "--1", "-01",
    ])
    func `any other string is not a number`(text: String) {
        #expect(JSONNumber(parsing: text) == nil)
    }

    @Test(
        arguments: [
            ["1", "1.0", "1e0", "10e-1", "0.1e1", "1.00000000000000000000000000", "100000000000000000000000e-23"],
            ["0", "-0", "0.0", "-0e5", "0e999999999999", "0.00000000000000000000000000"],
            ["-1.5", "-1.50", "-15e-1", "-0.15E+1"], ["1e400", "10e399", "0.1e401"],
            ["1e999999999999999999999", "10e999999999999999999998"],
        ]
    )
    func `numbers with the same value are equal and have the same hash`(texts: [String]) throws {
        let numbers = try texts.map(number)
        #expect(Set(numbers).count == 1)
        for left in numbers {
            for right in numbers {
                #expect(left == right)
                #expect(!(left < right))
            }
        }
    }

    @Test func `numbers are ordered by their exact values`() throws {
        let ascending = try [
            "-1e999999999999", "-1e400", "-12345678901234567891", "-12345678901234567890", "-2", "-1.5", "-1e-400", "0",
            "1e-999999999999", "1e-400", "0.1", "0.10000000000000000000001", "0.11", "1", "1.0000000000000000001",
            "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808",
            "18446744073709551615", "18446744073709551616", "99999999999999999999999", "1e400", "1e401",
            "1e999999999999",
        ].map(number)
        for (index, left) in ascending.enumerated() {
            for (otherIndex, right) in ascending.enumerated() {
                #expect((left < right) == (index < otherIndex), "\(left) < \(right)")
                #expect((left == right) == (index == otherIndex), "\(left) == \(right)")
            }
        }
    }

    @Test(
        arguments: [
            ("1", 1), ("1.0", 1), ("-1e2", -100), ("1.5", nil), ("150e-1", 15), ("1e-1", nil), ("-0.0", 0),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil), ("9223372036854775807.000", .max), ("1e400", nil),
            ("1e18", 1_000_000_000_000_000_000),
            ("0.000000000000000000001e21", 1), ("1e999999999999", nil), ("20000000000000000000", nil),
        ] as [(String, Int?)]
    )
    func `an integer in range has an Int value`(text: String, value: Int?) throws {
        #expect(try number(text).int == value)
    }

    @Test(arguments: [
        ("1", true), ("1.0", true), ("1e2", true), ("1.5", false), ("1e400", true), ("15e-1", false), ("0.0e-9", true),
    ])
    func `a number is an integer if its value is`(text: String, isWhole: Bool) throws {
        #expect(try number(text).isInteger == isWhole)
    }

    @Test(
        arguments: [
            ("0.1", 0.1), ("1.10", 1.1), ("12345678901234567890", 12345678901234567168), ("1e400", .infinity),
            ("-1e400", -.infinity), ("1e-400", 0), ("9007199254740993", 9007199254740992), ("-0.000001", -1e-6),
            ("1e999999999999", .infinity), ("0.1234567890123456789", 0.1234567890123456789),
        ] as [(String, Double)]
    )
    func `a number has the nearest double`(text: String, value: Double) throws {
        #expect(try number(text).double == value)
    }

    @Test(arguments: [
        (0.1, "0.1"), (1.0, "1"), (-0.5, "-0.5"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"),
        (123456.75, "123456.75"),
    ])
    func `a double is written with the fewest digits`(value: Double, text: String) throws {
        let number = try #require(JSONNumber(value))
        #expect(number.text == text)
        #expect(number.double == value)
    }

    @Test func `integers keep their values, and doubles that JSON cannot represent are rejected`() {
        #expect([Int.min, -1, 0, 1, .max].map { JSONNumber($0).int } == [Int.min, -1, 0, 1, .max])
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(-Double.infinity) == nil)
    }

    @Test(
        arguments: [
            ("0.3", "0.1", true), ("4.5", "1.5", true), ("35", "1.5", false), ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false), ("1e308", "0.123456789", false), ("12391239123", "1e-8", true),
            ("10", "-5", true), ("-7", "2", false), ("0", "3", true), ("3", "0", false), ("0", "0", false),
            ("1e999999999999", "3", false), ("3e999999999999", "3", true), ("1e999999999999", "1024", true),
            ("1e3", "16", false), ("1e4", "16", true), ("1", "1e999999999999", false), ("1e3", "0.0625", true),
            ("1e-999999999999", "1", false), ("1e3", "125", true), ("1e2", "125", false),
            ("121932631356500531347203169112635269", "123456789123456789", true),
            ("121932631356500531347203169112635270", "123456789123456789", false),
            ("2469135782469135782469135782469135782469135780", "1234567891234567891234567891234567891234567890", true),
            ("2469135782469135782469135782469135782469135783", "1234567891234567891234567891234567891234567891", false),
            ("3703703673703703673703703673703703673703703673", "1234567891234567891234567891234567891234567891", true),
            ("1e200", twoToThe200, true), ("1e199", twoToThe200, false), ("3e-9", twoToThe200 + "e-218", true),
            (String(repeating: "7", count: 42_000), String(repeating: "7", count: 21_000), true),
            (String(repeating: "7", count: 43_000), String(repeating: "7", count: 21_000), false),
        ]
    )
    func `multiples are determined exactly`(text: String, divisor: String, isMultiple: Bool) throws {
        #expect(try number(text).isMultiple(of: number(divisor)) == isMultiple)
    }

    private static let twoToThe200 = "1606938044258990275541962092341162602522202993782792835301376"
}
