import Synchronization
import Testing
import WaybillTestSupport

/// Numbers in what the program writes and reads.
@Suite(.timeLimit(.minutes(5))) struct NumberTests {
    @Test func `numbers keep their digits when a run is resumed`() async throws {
        let folder = TemporaryFolder()
        let isBroken = Mutex(true)
        try await LoopbackServer.run(answer: { request in
            let fails = request.target != "/price" && isBroken.withLock { $0 }
            return ServerResponse(
                status: fails ? 500 : 200,
                headers: [("Content-Type", "application/json")],
                body: Array(#"{"price": 12.10}"#.utf8)
            )
        }) { server in
            folder.write(
                """
                waybill: 1
                inputs: {rate: number}
                services: {s: {baseURL: "\(server.url(""))"}}
                graphs:
                  main:
                    chain:
                      - {id: a, service: s, get: /price, outputs: {price: $.price}}
                      - {id: b, service: s, get: "/pay?price=${steps.a.outputs.price}&rate=${inputs.rate}"}
                    outputs: {price: steps.a.outputs.price, rate: inputs.rate}
                """,
                to: "waybill.yaml"
            )
            func waybill(_ arguments: String...) async throws -> Command {
                try await Command.run(CommandCase.program, arguments, in: folder.path)
            }
            #expect(try await waybill("run", "--out", "results", "--input", "rate=0.50").status == 1)
            isBroken.withLock { $0 = false }
            #expect(try await waybill("resume", "./results").status == 0)
            #expect(server.requests.last?.target == "/pay?price=12.10&rate=0.50")
            let outputs = try #require(folder.read("results/outputs.json"))
            #expect(outputs.contains("\"price\": 12.10") && outputs.contains("\"rate\": 0.50"))
        }
    }
}
