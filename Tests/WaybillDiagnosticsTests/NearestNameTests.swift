import Testing
import WaybillDiagnostics

@Suite(.timeLimit(.minutes(5))) struct NearestNameTests {
    @Test(
        arguments: [
            ("shedule", "schedule"), ("Schedule", "schedule"), ("scehdule", "schedule"), ("usr", "user"),
            ("completely", nil), ("x", nil), ("", nil),
        ] as [(String, String?)]
    )
    func `the intended name is found, and unlikely names are not suggested`(name: String, expected: String?) {
        #expect(NearestName.of(name, among: ["login", "schedule", "user"]) == expected)
    }

    @Test func `after many long searches there are no more suggestions`() {
        let names = (0..<1000).map { "\(String(repeating: "ab", count: 40))\($0)" }
        let search = { NearestName.of("shedule", among: ["schedule"]) }
        let wanted = String(repeating: "cd", count: 40)
        NearestName.limited {
            #expect(search() == "schedule")
            for _ in 0..<40 { #expect(NearestName.of(wanted, among: names) == nil) }
            #expect(search() == nil)
        }
        #expect(search() == "schedule")
    }
}
