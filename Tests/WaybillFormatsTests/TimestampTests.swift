import Testing
import WaybillFormats

@Suite(.timeLimit(.minutes(5))) struct TimestampTests {
    @Test(arguments: [Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max)])
    func `the first and the last time are read as they are written`(time: Timestamp) throws {
        let read = try #require(Timestamp(rfc3339: time.description))
        #expect(read.description == time.description)
        #expect(Timestamp(rfc3339: "2262-04-11T23:47:17Z") == nil)
        #expect(Timestamp(rfc3339: "1677-09-21T00:12:42Z") == nil)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1_000_000, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),
            (1_795_238_823_041_999_999, "2026-11-21T05:27:03.041Z"),
            (4_107_542_399_000_000_000, "2100-02-28T23:59:59.000Z"),
        ] as [(Int64, String)]
    )
    func `a timestamp is written as RFC 3339 requires`(nanoseconds: Int64, text: String) {
        #expect(Timestamp(nanoseconds: nanoseconds).description == text)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (9_223_372_036, "2262-04-11T23:47:16.500Z"),
            (9_223_372_037, "2262-04-11T23:47:16.854Z"), (.max, "2262-04-11T23:47:16.854Z"),
            (-9_223_372_038, "1677-09-21T00:12:43.145Z"), (.min, "1677-09-21T00:12:43.145Z"),
        ] as [(Int64, String)]
    )
    func `a time beyond 2262 becomes the last one that can be represented`(seconds: Int64, text: String) {
        let timestamp = Timestamp(seconds: seconds, nanosecond: seconds == 9_223_372_036 ? 500_000_000 : 0)
        #expect(timestamp.description == text)
    }
}
