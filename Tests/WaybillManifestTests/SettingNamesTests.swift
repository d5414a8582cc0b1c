import Testing
import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct SettingNamesTests {
    @Test func `every key has its own bit, in the order of the cases`() {
        for (index, name) in SettingName.allCases.enumerated() {
            #expect(SettingNames(name).rawValue == 1 << UInt64(index))
        }
    }

    @Test func `a set contains exactly the keys that were inserted`() {
        let names: SettingNames = [SettingNames(.headers), SettingNames(.standalone)]
        for name in SettingName.allCases {
            #expect(names.contains(name) == [.headers, .standalone].contains(name))
        }
    }
}
