import Testing
import WaybillSchema

@Suite(.timeLimit(.minutes(5))) struct PatternExampleTests {
    @Test(arguments: [
        "", "abc", "^[A-Z]{3}$", "^\\d{4}-\\d{2}$", "^(?:a|b)+c?$", "^[^a0A]$", "\\p{Lu}x", "^(ab)\\1$",
        "^\\w+@\\w+\\.com$", "^.{2,5}$",
        "^[\\u0400-\\u04FF]+$",
    ])
    func `an example matches its pattern`(pattern: String) throws {
        let expression = try RegularExpression(pattern, .ecmaScript)
        for count in [0, 4] {
            let example = try #require(RegularExpression.example(of: pattern, atLeast: count))
            var steps = 10_000
            #expect(expression.occurs(in: example, steps: &steps), "\(example)")
        }
    }

    @Test func `repetitions make an example as long as it should be, as far as the pattern permits`() {
        #expect(RegularExpression.example(of: "^[a-z]+-\\d{1,3}$", atLeast: 9) == "aaaaaaa-0")
        #expect(RegularExpression.example(of: "^a{2,4}$", atLeast: 9) == "aaaa")
        #expect(RegularExpression.example(of: "^(a{1000}){1000}$", atLeast: 0) == nil)
        #expect(RegularExpression.example(of: "(", atLeast: 0) == nil)
        #expect(RegularExpression.example(of: "[^\\s\\S]", atLeast: 0) == nil)
    }
}
