import Testing
import WaybillFormats
import WaybillJSON
import WaybillTestSupport

/// Property lists exchanged with Python's `plistlib`, if Python is installed.
@Suite(.enabled(if: Python.isThere), .timeLimit(.minutes(5)))
struct PropertyListPythonTests {
    private func python(_ script: String, in folder: TemporaryFolder) async throws {
        folder.write(script, to: "script.py")
        let result = try await Command.run("/usr/bin/env", ["python3", "script.py"], in: folder.path)
        #expect(result.status == 0, "\(result.errorText)")
    }

    @Test func `property lists written by Python are read, as XML and as binary`() async throws {
        let folder = TemporaryFolder()
        try await python(
            """
            import base64, datetime, json, plistlib, random
            random.seed(7)
            def text():
                return ''.join(random.choice('ab <>&"\\\\n\\té€𝄞') for _ in range(random.choice([0, 3, 14, 15, 40])))
            def value(depth):
                kind = random.randrange(10 if depth else 7)
                if kind == 0: return random.random() < .5
                if kind == 1: return random.choice([1, -1]) * random.getrandbits(random.choice([1, 8, 16, 31, 32, 63]))
                if kind == 2: return random.choice([0.1, -2.5, 1e300, float(random.getrandbits(60)), random.random()])
                if kind == 3: return random.randbytes(random.randrange(40))
                if kind == 4: return (datetime.datetime(1, 1, 1) + datetime.timedelta(
                    seconds=random.randrange(315_537_897_599)))
                if kind in (5, 6): return text()
                if kind == 7: return [value(depth - 1) for _ in range(random.randrange(20))]
                return {text(): value(depth - 1) for _ in range(random.randrange(20))}
            def plain(value):
                if isinstance(value, bytes): return base64.b64encode(value).decode()
                if isinstance(value, datetime.datetime): return value.isoformat() + 'Z'
                if isinstance(value, plistlib.UID): return {'CF$UID': value.data}
                if isinstance(value, list): return [plain(element) for element in value]
                if isinstance(value, dict): return {key: plain(element) for key, element in value.items()}
                return value
            for number in range(100):
                tree = [value(4), 2 ** 64 - 1, -2 ** 63]
                plistlib.dump(tree, open(f'{number}.xml', 'wb'), sort_keys=False)
                plistlib.dump(tree + [plistlib.UID(random.getrandbits(60))], open(f'{number}.bin', 'wb'),
                    fmt=plistlib.FMT_BINARY, sort_keys=False)
                json.dump(plain(tree), open(f'{number}.json', 'w'))
                json.dump(plain(plistlib.load(open(f'{number}.bin', 'rb'))), open(f'{number}.bin.json', 'w'))
            """,
            in: folder
        )
        for number in 0..<100 {
            for (list, json) in [("\(number).xml", "\(number).json"), ("\(number).bin", "\(number).bin.json")] {
                let bytes = try #require(TemporaryFolder.contents(of: "\(folder.path)/\(list)"))
                let expected = try #require(TemporaryFolder.contents(of: "\(folder.path)/\(json)"))
                #expect(try PropertyListParser().parse(bytes) == JSONParser().parse(expected), "\(list)")
            }
        }
    }

    @Test func `Python reads the written property lists`() async throws {
        let folder = TemporaryFolder()
        for seed in 0..<100 {
            var random = SplitMix(state: UInt64(seed))
            let value = PropertyListSample.value(&random, depth: 4)
            folder.write(try PropertyListWriter.xml(value), to: "\(seed).plist")
            folder.write(JSONWriter().string(value), to: "\(seed).json")
        }
        try await python(
            """
            import json, plistlib
            for number in range(100):
                found = plistlib.load(open(f'{number}.plist', 'rb'))
                expected = json.load(open(f'{number}.json'))
                assert repr(found) == repr(expected), (number, found, expected)
            """,
            in: folder
        )
    }
}

private enum Python {
    static let isThere = ["/usr/bin/python3", "/usr/local/bin/python3"].contains {
        TemporaryFolder.contents(of: $0) != nil
    }
}
