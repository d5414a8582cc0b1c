import Testing

@testable import WaybillPlanPrinting

@Suite(.timeLimit(.minutes(5))) struct CredentialMaskTests {
    @Test(arguments: [
        ("hunter2", "***"),
        ("Bearer hunter2", "Bearer ***"),
        ("Bearer ${secrets.token}", "Bearer ${secrets.token}"),
        ("Bearer x${secrets.token}", "Bearer ***${secrets.token}"),
        ("hunter2 and ${secrets.token}", "***${secrets.token}"),
        ("${'hunter2'}", "${'***'}"),
        (#"${concat("hun\"ter2", secrets.token)}"#, "${concat('***', secrets.token)}"),
        ("${base64(concat(inputs.user, ':hunter2'))}", "${base64(concat(inputs.user, '***'))}"),
        ("${inputs['user']}", "${inputs['user']}"),
        ("${inputs.list[?@.name == 'hunter2'].id}", "${inputs.list[?@.name == '***'].id}"),
        ("${inputs['user', 'hunter2']}", "${inputs['***', '***']}"),
    ])
    func `everything in a credential except its references is masked`(text: String, expected: String) {
        #expect(CredentialMask.credential(text) == expected)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
        ("http://me:hunter2@127.0.0.1:8080/", "http://***:***@127.0.0.1:8080/"),
        ("http://token@127.0.0.1/a@b", "http://***@127.0.0.1/a@b"),
        ("http://me:p@ss@127.0.0.1/", "http://***:***@127.0.0.1/"),
        ("socks5h://me:${secrets.p}@127.0.0.1", "socks5h://***:${secrets.p}@127.0.0.1"),
        ("http://${inputs.u}:a${secrets.p}@host", "http://${inputs.u}:***${secrets.p}@host"),
        ("http://${concat('a@', inputs.u)}/", "http://${concat('a@', inputs.u)}/"),
        ("http://host/?next=http://me:hunter2@other/", "http://host/?next=http://***:***@other/"),
        ("mail me@example.com, see https://example.com/", "mail me@example.com, see https://example.com/"),
        ("http://", "http://"),
        ("http://@", "http://@"),
        ("http://${unclosed@host", "http://${unclosed@host"),
    ])
    func `everything in a URL's user information except its references is masked`(text: String, expected: String) {
        #expect(CredentialMask.userInformation(in: text) == expected)
    }
}
