import Testing
import WaybillTransport

struct SuggestedNameTests {
    static let fields: [(String, String?)] = [
        ("attachment; filename=a.zip", "a.zip"),
        ("attachment; filename=\"a b.zip\"", "a b.zip"),
        ("attachment;filename=\"a\\\"b;c.zip\"; size=3", "a\"b;c.zip"),
        ("attachment; filename=\"old.txt\"; filename*=UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"),
        ("attachment; filename*=UTF-8'en'na%C3%AFve.txt; filename=plain.txt", "naïve.txt"),
        ("attachment; filename*=iso-8859-1''caf%E9.txt", "café.txt"),
        ("attachment; filename*=UTF-8''%FF; filename=plain.txt", "plain.txt"),
        ("attachment; filename*=koi8-r''x; filename=plain.txt", "plain.txt"),
        ("attachment; filename*=x", nil),
        ("inline", nil),
        ("attachment; filename=", nil),
        ("attachment; filename=\"../../etc/passwd\"", "passwd"),
        ("attachment; filename=\"..\\\\..\\\\boot.ini\"", "boot.ini"),
        ("attachment; filename=\"C:\\\\a\\\\b.txt\"", "b.txt"),
        ("attachment; filename=\"/\"", nil),
        ("attachment; filename=\"..\"", nil),
        ("attachment; filename=\".bashrc\"", "bashrc"),
        ("attachment; filename*=UTF-8''a%00b%0Ac.txt", "abc.txt"),
        ("attachment; filename*=UTF-8''photo%E2%80%AEgpj.exe", "photogpj.exe"),
        ("attachment; filename=\"other.zip.part\"", "other.zip.part.file"),
        ("attachment; filename=\"shop.sqlite-journal\"", "shop.sqlite-journal.file"),
        ("attachment; filename=\"shop.sqlite-WAL\"", "shop.sqlite-WAL.file"),
        ("attachment; filename=\"other.zip.PART.json\"", "other.zip.PART.json.file"),
        ("attachment; filename=\"a.zip. . \"", "a.zip"),
        ("attachment; filename*=UTF-8''a%2F%CC%81b.zip", "\u{301}b.zip"),
        ("attachment; filename*=UTF-8''%2E%2E%5C%CC%81b.zip", "\u{301}b.zip"),
    ]

    @Test(arguments: fields) func `a suggested name is reduced to a safe one`(field: String, name: String?) {
        #expect(SuggestedName.of([HTTPField(name: "Content-Disposition", value: field)]) == name)
    }

    @Test func `a long name keeps its extension`() throws {
        let name = try #require(SuggestedName.safe(String(repeating: "ä", count: 300) + ".tar"))
        #expect(name.utf8.count <= 200)
        #expect(name.hasSuffix("ä.tar"))
    }

    @Test func `a long name of flags is shortened in a time that is linear`() throws {
        let name = try #require(SuggestedName.safe(String(repeating: "🇩🇪", count: 200_000) + ".tar"))
        #expect(name.utf8.count <= 200 && name.utf8.count > 190)
        #expect(name.hasSuffix(".tar"))
    }

    static let urls: [(String, String?)] = [
        ("http://a/b/c.zip?d=e/f#g", "c.zip"), ("http://a/b%20c.zip", "b c.zip"),
        ("http://a/..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("http://a/b/", nil), ("http://a", nil), ("http://a/%FF", "%FF"),
    ]

    @Test(arguments: urls) func `a name is derived from a URL`(url: String, name: String?) {
        #expect(SuggestedName.of(url: url) == name)
    }
}
