import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct NetworkInterfaceTests {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `packets to this machine use the loopback interface`(host: String) async {
        let interface = await NetworkInterface.towards(SocketEndpoint(host: host, port: 80))
        #expect(interface?.name == "lo" || interface?.name == "lo0")
        #expect(interface?.isMobile == false)
    }

    @Test(arguments: ["255.255.255.255", String(repeating: "a", count: 64) + ".test", "a b"])
    func `an unreachable host has no interface`(host: String) async {
        #expect(await NetworkInterface.towards(SocketEndpoint(host: host, port: 80)) == nil)
    }

    @Test(arguments: [
        ("wwan0", true), ("wwp0s20u4", false), ("rmnet_data0", true), ("ppp0", true), ("eth0", false), ("wlan0", false),
        ("usb0", false), ("lo", false),
    ])
    func `a mobile network is detected by its interface name`(name: String, isMobile: Bool) {
        #expect(NetworkInterface(named: name, describedIn: "/nowhere").isMobile == isMobile)
    }

    @Test(arguments: [
        ("DEVTYPE=wwan\nINTERFACE=wwp0s20u4\n", true), ("INTERFACE=x\nDEVTYPE=wwan\n", true),
        ("DEVTYPE=wlan\nINTERFACE=wwan\n", false), ("", false),
    ])
    func `a modem is detected by the kernel's description`(description: String, isMobile: Bool) async throws {
        let folder = TemporaryFolder()
        _ = try await Command.run("/bin/mkdir", ["\(folder.path)/wwp0s20u4"])
        folder.write(description, to: "wwp0s20u4/uevent")
        #expect(NetworkInterface(named: "wwp0s20u4", describedIn: folder.path).isMobile == isMobile)
    }
}
