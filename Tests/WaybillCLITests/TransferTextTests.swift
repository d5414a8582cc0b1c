import Testing
import WaybillResults

@testable import WaybillCLI

struct TransferTextTests {
    static let sizes = [
        (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
        (26_700_000, "26.7 MB"), (1_500_000_000, "1.5 GB"), (2_000_000_000_000_000, "2000.0 TB"),
    ]

    @Test(arguments: sizes) func `sizes are shown with one decimal place`(bytes: Int, text: String) {
        #expect(TransferText.size(bytes) == text)
    }

    private static func details(
        _ sent: Int,
        _ sentTotal: Int?,
        _ received: Int,
        _ receivedTotal: Int?,
        seconds: Double = 0
    ) -> String {
        let progress = ProgressReport(
            attempt: 1,
            sent: sent,
            sentTotal: sentTotal,
            received: received,
            receivedTotal: receivedTotal
        )
        return TransferText.details(progress, seconds: seconds).joined(separator: ", ")
    }

    @Test func `progress is counted in the direction of the transfer`() {
        #expect(Self.details(0, nil, 12_000_000, 26_700_000) == "↓ 44 %, 12.0 MB of 26.7 MB")
        #expect(Self.details(0, nil, 12_000_000, nil) == "↓ 12.0 MB")
        #expect(Self.details(500, 1000, 0, nil) == "↑ 50 %, 500 bytes of 1.0 kB")
        #expect(Self.details(1000, 1000, 10, 5) == "↓ 10 bytes")
        #expect(
            Self.details(0, nil, 12_000_000, 26_700_000, seconds: 4)
                == "↓ 44 %, 12.0 MB of 26.7 MB, 3.0 MB/s, 5 s left"
        )
        #expect(Self.details(0, nil, 1, .max, seconds: 1).hasSuffix(" TB, 1 byte/s"))
    }
}
