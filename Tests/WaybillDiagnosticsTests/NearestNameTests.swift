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
}
