// Sends GETs of one URL through the transport: what measure.py compares with the same in C.

import WaybillPlatform
import WaybillTransport

@main
struct TransportBenchmark {
    private static let usage = "usage: TransportBenchmark URL COUNT AT_ONCE engine|pool"

    let url: String
    let count: Int
    let atOnce: Int
    // Whether the tasks run on the transport's thread rather than on Swift's.
    let isOnEngine: Bool

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let count = Int(arguments[2]), let atOnce = Int(arguments[3]), atOnce > 0,
            ["engine", "pool"].contains(arguments[4])
        else {
            print(usage)
            exit(64)
        }
        let benchmark = TransportBenchmark(
            url: arguments[1],
            count: count,
            atOnce: atOnce,
            isOnEngine: arguments[4] == "engine"
        )
        do {
            try await benchmark.run()
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    private func run() async throws {
        let transport = try CurlTransport(maximumConnections: max(256, atOnce))
        let clock = ContinuousClock()
        let begin = clock.now
        let tally = await withTaskExecutorPreference(isOnEngine ? transport.taskExecutor : nil) {
            await sendAll(over: transport)
        }
        let seconds = (clock.now - begin) / .seconds(1)
        let rate = Int(Double(count) / seconds)
        print("\(count) requests, \(atOnce) at once, \(tally.failed) failed, \(tally.bytes) bytes, \(rate) requests/s")
        await transport.shutDown()
        exit(tally.failed == 0 ? 0 : 1)
    }

    private func sendAll(over transport: CurlTransport) async -> Tally {
        let request = HTTPRequest(url: url, maximumConnectionsPerOrigin: atOnce)
        return await withTaskGroup(of: Tally.self) { group in
            for line in 0..<atOnce {
                let share = count / atOnce + (line < count % atOnce ? 1 : 0)
                group.addTask { await Self.send(request, times: share, over: transport) }
            }
            return await group.reduce(Tally()) { Tally(failed: $0.failed + $1.failed, bytes: $0.bytes + $1.bytes) }
        }
    }

    private static func send(_ request: HTTPRequest, times: Int, over transport: CurlTransport) async -> Tally {
        var tally = Tally()
        for _ in 0..<times {
            switch await transport.send(request) {
            case .success(let response):
                if response.status != 200 { tally.failed += 1 }
                tally.bytes += response.body.count
            case .failure:
                tally.failed += 1
            }
        }
        return tally
    }
}

/// What came of requests.
struct Tally: Sendable {
    var failed = 0
    var bytes = 0
}
