import Testing
import WaybillFormats

@Suite(.timeLimit(.minutes(5))) struct TimestampTests {
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
}
