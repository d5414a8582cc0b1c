import Testing

@testable import WaybillJSON

/// Sums are exact.
@Suite(.timeLimit(.minutes(5))) struct NumberAdditionTests {
    @Test(
        arguments: [
            ("1", "2", "3"), ("0.1", "0.2", "0.3"), ("1.10", "-1.1", "0"), ("-5", "3", "-2"), ("3", "-5", "-2"),
            ("0.999", "0.001", "1"), ("9999999999999999999", "1", "10000000000000000000"),
            ("12345678901234567890", "0.00000000000000000001", "12345678901234567890.00000000000000000001"),
            ("1e400", "1", "1" + String(repeating: "0", count: 399) + "1"), ("-1e30", "1e30", "0"),
            ("1e-30", "2e-30", "0.000000000000000000000000000003"), ("1e-300", "1e-300", "2e-300"),
            ("1e300", "1e300", "2e300"), ("123456789012345678901234567890", "-1", "123456789012345678901234567889"),
            ("0", "12345678901234567890123", "12345678901234567890123"), ("-0.5", "-0.5", "-1"),
            ("-99999999999999999999", "99999999999999999998", "-1"),
        ] as [(String, String, String)]
    )
    func `a sum has all digits`(left: String, right: String, sum: String) throws {
        let (left, right) = (try #require(JSONNumber(parsing: left)), try #require(JSONNumber(parsing: right)))
        #expect(left.adding(right).text == sum)
        #expect(right.adding(left).text == sum)
    }

    @Test func `the span of the digits around the decimal point is known before an addition`() {
        #expect(JSONNumber(parsing: "1e-400")?.digitSpan == 400)
        #expect(JSONNumber(parsing: "1.5e400")?.digitSpan == 401)
        #expect(JSONNumber(parsing: "1e99999999999999999999")?.digitSpan == .max)
        #expect(JSONNumber(12).digitSpan < 100)
    }
}
