import Testing
import WaybillFormats
import WaybillJSON

/// What `aggregate` computes over records.
@Suite(.timeLimit(.minutes(5))) struct RecordAggregateTests {
    @Test(
        arguments: [
            (.min, #"[3,1.5,2,null]"#, "1.5"), (.max, #"["b","a","é"]"#, #""é""#), (.max, #"[9,"1"]"#, #""1""#),
            (.max, "[12345678901234567890,12345678901234567891]", "12345678901234567891"), (.min, "[]", "null"),
            (.sum, "[0.1,0.2,null,12345678901234567890]", "12345678901234567890.3"), (.sum, "[null]", "0"),
            (.count, "[1,null,false,true,\"\",0]", "4"), (.count, "[]", "0"), (.first, "[null,[1],2]", "[1]"),
            (.last, "[1,{\"a\":2},null]", #"{"a":2}"#), (.last, "[]", "null"),
        ] as [(AggregateFunction, String, String)]
    )
    func `the result does not depend on how the values are grouped`(
        function: AggregateFunction,
        values: String,
        result: String
    ) throws {
        let values = try #require(JSONParser().parse(Array(values.utf8)).array)
        let expected = try JSONParser().parse(Array(result.utf8))
        for split in 0...values.count {
            var (left, right) = (RecordAggregate(function), RecordAggregate(function))
            for value in values[..<split] { try left.add(value) }
            for value in values[split...] { try right.add(value) }
            // The journal stores the partial aggregates.
            var all = try #require(RecordAggregate(json: left.json))
            all.add(try #require(RecordAggregate(json: right.json)))
            #expect(all.result == expected)
        }
    }

    @Test(
        arguments: [
            (.sum, "\"1\"", "'sum' adds numbers, but found a string"),
            (.max, "true", "'max' compares numbers and strings, but found a boolean"),
            (.min, "[]", "'min' compares numbers and strings, but found a list"),
            (.sum, "1e99999", "'sum' cannot add 1e99999: it has too many digits"),
        ] as [(AggregateFunction, String, String)]
    )
    func `an unsuitable value is an error`(function: AggregateFunction, value: String, message: String) throws {
        let value = try JSONParser().parse(Array(value.utf8))
        var aggregate = RecordAggregate(function)
        do throws(RecordAggregate.ValueError) {
            try aggregate.add(value)
            Issue.record("no error")
        } catch {
            #expect(error.message == message)
        }
    }
}
