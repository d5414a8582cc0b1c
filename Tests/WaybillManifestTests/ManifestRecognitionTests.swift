import Testing
import WaybillDiagnostics
import WaybillManifest

@Suite struct ManifestRecognitionTests {
    @Test(arguments: [
        "waybill: 1\n", "\u{FEFF}waybill: 1\n", "# a\n---\nservices: {}\nwaybill: 1\n", "{\n  \"waybill\": 1\n}\n",
        "{\"services\": {\"a\": [1]}, \"waybill\": 1}", "  waybill: 1\n  graphs: {}\n", "? waybill\n: 1\n",
        "!!str waybill: 1\n",
        "&key waybill: 1\n", "&all\nwaybill: 1\n", "\"wayb\\u0069ll\": 1\n", "'waybill' : 1\n",
        "a: 1\n---\nwaybill: 1\n",
        "x: &k waybill\n*k : 1\n", "x: &base {waybill: 1}\n<<: *base\n", "? [a, b]\n: 1\nwaybill: 1\n",
    ])
    func `a file is a manifest in each spelling of the key`(text: String) {
        #expect(ManifestRecognition.isManifest(SourceFile(name: "a.yaml", text: text)))
    }

    @Test(arguments: [
        "", "# waybill: 1\n", "waybill\n", "[waybill: 1]\n", "a: {waybill: 1}\n", "a:\n  waybill: 1\n", "a: waybill\n",
        "a: |\n  text\n  waybill: 1\n", "waybills: 1\n", "? {waybill: 1}\n: 2\n",
        "a: &k {waybill: 1}\nb: *k\n", "a: {{ .Values.x }}\n b: {\n", "a: \"\\x\"\n",
    ])
    func `other files are not manifests`(text: String) {
        #expect(!ManifestRecognition.isManifest(SourceFile(name: "a.yaml", text: text)))
    }

    @Test(
        arguments: [
            [0xFF, 0xFE, 0x61, 0, 0x3A, 0, 0x20, 0, 0x31, 0], Array("\0a: 1\n".utf8), [0x61, 0x3A, 0x20, 0xE9],
            Array("services: {a: ]}\nwaybill: 1\n".utf8),
        ] as [[UInt8]]
    )
    func `a file that the loader rejects first is loaded, so that its error is reported`(bytes: [UInt8]) {
        #expect(ManifestRecognition.isManifest(SourceFile(name: "a.yaml", bytes: bytes)))
    }
}
