import Testing
import WaybillFormats
import WaybillJSON
import WaybillResults

@Suite(.timeLimit(.minutes(5))) struct ResultJSONTests {
    @Test func `the summary of a run contains everything that is known`() {
        let json = Samples.result.json
        #expect(
            json.object?.names
                == [
                    "id", "manifest", "environment", "mock", "startedAt", "finishedAt", "time", "outcome", "counts",
                    "responseTimes", "steps",
                ]
        )
        #expect(json["time"] == ["total": 1250])
        #expect(json["counts"] == ["passed": 1, "failed": 1, "tolerated": 0, "skipped": 1, "cancelled": 0])
        let expected: JSON = [
            "id": "login", "name": "Log in", "path": "main.login", "graph": "main", "endpoint": "login",
            "outcome": "passed", "attempts": 2, "pages": 3, "polls": 2, "status": 200, "cache": "miss",
            "method": "POST",
            "url": "https://example.com/?p=***",
            "startedAt": "2026-11-21T05:27:03.041Z",
            "time": ["total": 12.345, "dns": 0.01, "connect": 1, "tls": 2, "firstByte": 3000],
            "bytes": ["sent": 10, "received": 20],
        ]
        #expect(json["steps"]?[0] == expected)
        #expect(
            json["steps"]?[2]
                == ["id": "rest", "path": "main.rest", "graph": "main", "outcome": "skipped", "attempts": 0]
        )
    }

    @Test func `a failure and its details have locations`() {
        let expected: JSON = [
            "kind": "expect", "code": "E-***", "message": "2 of 3 expectations failed", "file": "accounts.yaml",
            "line": 3, "column": 3,
            "details": [
                [
                    "message": "expected the status 200, got 503", "label": "here", "file": "accounts.yaml", "line": 3,
                    "column": 11,
                ],
                ["message": "no '***' in it"],
            ],
        ]
        #expect(Samples.failure.json == expected)
    }

    @Test func `a summary that was read has the same members when it is written again`() throws {
        let json = Samples.result.json
        #expect(try #require(RunResult(json: json)).json == json)
    }

    @Test func `all elements of a forEach are counted, and the first hundred failures are kept in order`() {
        let elements = Samples.steps[1].elements
        #expect(elements?.counts[.failed] == 150)
        #expect(elements?.counts[.passed] == 1)
        #expect(elements?.failures.map(\.index) == Array(0..<100))
        #expect(elements?.json["failures"]?[7]?["element"] == 7)
        #expect(elements?.json["failures"]?[7]?["kind"] == "expect")
    }

    @Test func `an event has a number, a timestamp, a type, a step and the members of its type`() {
        let texts = Samples.events.map { JSONWriter().string($0.json) }
        #expect(
            texts[0]
                == #"{"seq":1,"at":"2026-11-21T05:27:03.041Z","type":"run.started","run":"20261121-052703-k3v9qa","#
                + #""manifest":"accounts.yaml","environment":"dev","graphs":["main"]}"#
        )
        #expect(
            texts[3]
                == #"{"seq":4,"at":"2026-11-21T05:27:03.041Z","type":"request.willSend","step":"main.login","#
                + #""attempt":1,"method":"GET","url":"http://x/","headers":[{"name":"Authorization","value":"***"},"#
                + #"{"name":"X-A","value":"***"}]}"#
        )
        #expect(!texts.contains { $0.contains("hunter2") || $0.contains("Bearer") })
    }
}

@Suite(.timeLimit(.minutes(5))) struct RunIDTests {
    @Test func `run ids sort by time and can be parsed`() {
        var random = SystemRandomNumberGenerator()
        let early = RunID(at: Timestamp(nanoseconds: 1_795_238_823_041_000_000), using: &random)
        let late = RunID(at: Timestamp(nanoseconds: 1_795_238_824_041_000_000), using: &random)
        #expect(early < late)
        #expect(early.description.hasPrefix("20261121-052703-"))
        #expect(RunID(early.description) == early)
    }

    @Test(arguments: ["", "latest", "20261121-052703", "20261121-052703-K3V9QA", "20261121-052703-k3v9q/", "../../x"])
    func `an invalid run id is rejected`(text: String) {
        #expect(RunID(text) == nil)
    }
}
