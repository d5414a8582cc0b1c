import Testing

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct RepetitionDetectorTests {
    @Test(arguments: [(0, 1), (0, 5), (3, 4), (100, 1), (100, 37), (5_000, 3_000)], [16, 65_536])
    func `a cycle in a sequence is detected`(shape: (before: Int, circle: Int), memory: Int) {
        var detector = RepetitionDetector(remembering: memory)
        var count = 0
        while count < 100_000 {
            let place = count < shape.before ? count : shape.before + (count - shape.before) % shape.circle
            if detector.repeats("page \(place)") { break }
            count += 1
        }
        let first = shape.before + shape.circle
        #expect(count >= first)
        if memory > first { #expect(count == first) }
        #expect(count <= 8 * (first + memory))
    }

    @Test func `a sequence without a cycle is not reported`() {
        var detector = RepetitionDetector(remembering: 100)
        #expect((0..<100_000).allSatisfy { !detector.repeats("\($0)") })
    }
}
