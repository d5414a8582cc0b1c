import Testing
import WaybillFormats
import WaybillResults

@testable import WaybillCLI

struct TransferTextTests {
    static let sizes = [
        (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
        (26_700_000, "26.7 MB"), (1_500_000_000, "1.5 GB"), (2_000_000_000_000_000, "2000.0 TB"),
    ]

    @Test(arguments: sizes) func `sizes are shown to a tenth of a unit`(bytes: Int, text: String) {
        #expect(TransferText.size(bytes) == text)
    }

    private static func progress(_ sent: Int, _ sentTotal: Int?, _ received: Int, _ receivedTotal: Int?) -> String {
        TransferText.progress(
            .init(attempt: 1, sent: sent, sentTotal: sentTotal, received: received, receivedTotal: receivedTotal)
        )
    }

    @Test func `progress is that of the direction in which bytes go`() {
        #expect(Self.progress(0, nil, 12_000_000, 26_700_000) == "↓ 44 %, 12.0 MB of 26.7 MB")
        #expect(Self.progress(0, nil, 12_000_000, nil) == "↓ 12.0 MB")
        #expect(Self.progress(500, 1000, 0, nil) == "↑ 50 %, 500 bytes of 1.0 kB")
        #expect(Self.progress(1000, 1000, 10, 5) == "↓ 10 bytes")
    }

    @Test func `a line about a transfer comes every five seconds`() {
        var lines = ProgressLines()
        func isDue(_ step: String, _ seconds: Double) -> Bool {
            lines.isDue(for: step, at: Timestamp(nanoseconds: Int64(seconds * 1e9)))
        }
        let due = [0, 4.9, 5, 5.1, 9.9, 10].map { isDue("main.a", $0) }
        #expect(due == [false, false, true, false, false, true])
        let isOtherDue = isDue("main.b", 10)
        #expect(!isOtherDue)
        lines.forget("main.a")
        let isForgottenDue = isDue("main.a", 99)
        #expect(!isForgottenDue)
    }
}
