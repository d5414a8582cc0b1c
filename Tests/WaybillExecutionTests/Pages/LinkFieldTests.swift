import Testing

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct LinkFieldTests {
    @Test(
        arguments: [
            (["<http://x/?page=2>; rel=\"next\""], "http://x/?page=2"), (["</b>; rel=next"], "/b"),
            (["<a>; rel=prev, <b>; rel=next"], "b"), (["<a>; rel=prev", "<b>; REL=NEXT"], "b"),
            (["<a,b;c>; title=\"x, <y>; rel=next\"; rel=\"last next\""], "a,b;c"),
            (["<a>; title=\"say \\\"<z>\\\"; rel=next\", <b>;rel=\"next\""], "b"),
            (["<a> ; rel = \"next\" ; x"], "a"), (["<a>; rel=prev; rel=next"], nil), (["<a>; rel=nextish"], nil),
            (["<a>; rel=next; anchor=\"#x\", <b>; rel=next"], "b"), (["<>; rel=next"], ""), ([], nil), ([""], nil),
            (["<a>; rel=next; anchor=\"\""], "a"), (["<a>; rel=\"next"], "a"), (["a; rel=next, <b>; rel=next"], "b"),
            (["<a> rel=next, <b>; rel=next"], "b"), (["<a>;;; rel=next"], "a"), (["<a>; rel"], nil),
        ] as [([String], String?)]
    )
    func `the link with the relation next is found`(fields: [String], target: String?) throws {
        #expect(try LinkField.next(in: fields) == target)
    }

    @Test(
        arguments: [
            ["<a; rel=next"], ["a>; rel=next"], ["a; rel=next"], ["<a> rel=next"],
            ["<a>; rel=prev, b; rel=next"], ["<a>; rel=prev", "</b> rel=\"next\""],
            ["<a>; rel=prev; <b>; rel=next"], ["<a>; rel=\u{201C}next\u{201D}"], ["<a>; rel=next\u{A0}"],
            ["<a>; title=\"open; rel=next"], ["<a>; title=\"open\\"],
        ]
    )
    func `a malformed field may have meant the next page`(fields: [String]) {
        #expect(throws: LinkField.Malformed.self) { try LinkField.next(in: fields) }
    }
}
