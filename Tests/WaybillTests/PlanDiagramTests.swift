import Testing
import WaybillJSON
import WaybillPlan
import WaybillTestSupport

@testable import WaybillPlanPrinting

@Suite(.timeLimit(.minutes(5))) struct PlanDiagramTests {
    /// Strings with special meanings in Mermaid, Graphviz, HTML or Markdown.
    static let hostileTexts = [
        #"quote " and ' and ` and "]; n1-->n2; ["x"#, #"back \ slash \n \N \G \l and \"#, "brackets ]]) }} >> (([[{{",
        "#quot; #35; #lt; &lt; &#35; &amp;", "<script>alert(1)</script> <br/> <b>bold</b>", "$$x^2$$ $a {a} $",
        "%% comment",
        "%%{init: {\"theme\": \"dark\"}}%%", "style a:b#c;d classDef x:y#z;", "fa:fa-car fab:fa-github", "end",
        "subgraph x",
        "click n1 href \"javascript:alert(1)\"", "---\ntitle: x\n---", "*bold* **b** _it_ ~~x~~", "1. first", "- list",
        "ünïcödé 日本語 😀 e\u{301} \u{202E}turned", "tab\tand\nline\rbreak", "|pipe| ;;; :::class @{shape: x}", " ",
    ]

    private static func manifest(naming text: String) -> String {
        let quoted = JSONWriter().string(.string(text))
        return """
            name: \(quoted)
            services: {s: {baseURL: "http://127.0.0.1/"}}
            graphs:
              main:
                chain:
                  - {id: a, name: \(quoted), get: \(JSONWriter().string(.string("/" + text.replacing("${", with: "$${"))))}
                  - {id: b, name: \(quoted), batch: [{name: \(quoted), values: {v: 1}}, {id: end, needs: [], values: {v: 1}}]}
                  - {id: c, graph: other}
                finally: [{get: /}]
              other: {batch: []}
            """
    }

    /// The code points of a string as a terminal or a diagram may show them.
    private static func shown(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\t", "\n": " "
            case "\r", "\u{202E}": "\u{FFFD}"
            default: scalar
            }
        }
    }

    // MARK: Mermaid

    /// The allowed lines of a flowchart. Labels are quoted, and their special characters are written as numbers.
    private static let label = ##"(?:[^"#<>&`\\\n]|#[0-9]+;|<br/>)*"##
    private static let lines = [
        "flowchart TD",
        #" +n[0-9]+(?:\["LABEL"\]|\[\["LABEL"\]\]|\{\{"LABEL"\}\}|\(\["LABEL"\]\))"#,
        #" +subgraph b[0-9]+\["LABEL"\]"#,
        " +end",
        "  [nb][0-9]+ (?:-->|-\\.->|==>) [nb][0-9]+",
    ].map { $0.replacing("LABEL", with: label) }

    @Test(arguments: hostileTexts)
    func `a flowchart conforms to its grammar, whatever the labels contain`(text: String) throws {
        let description = try PlanFixture.description(Self.manifest(naming: text))
        let document = description.mermaid
        let grammar = try Regex("(?:\(Self.lines.joined(separator: "|")))")
        var depth = 0
        var known: Set<Substring> = []
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "flowchart TD" && lines.last == "")
        for line in lines.dropLast() {
            #expect(line.wholeMatch(of: grammar) != nil, "\(line)")
            if line.contains("  subgraph ") { depth += 1 }
            if line.hasSuffix("  end") { depth -= 1 }
            if let arrow = line.wholeMatch(of: #/  ([nb][0-9]+) \S+ ([nb][0-9]+)/#) {
                #expect(known.isSuperset(of: [arrow.1, arrow.2]), "\(line)")
            } else if let name = line.firstMatch(of: #/^ +(?:subgraph )?([nb][0-9]+)/#) {
                #expect(known.insert(name.1).inserted)
            }
            #expect(depth >= 0)
        }
        #expect(depth == 0)
    }

    @Test(arguments: hostileTexts)
    func `a label of a flowchart shows the name unchanged`(text: String) throws {
        let description = try PlanFixture.description(Self.manifest(naming: text))
        let document = description.mermaid
        let node = try #require(document.split(separator: "\n").first { $0.contains("n1[") })
        let label = try #require(node.firstMatch(of: #/\["(.*)"\]$/#)).1
        let name = String(label).split(separator: "<br/>").dropFirst().first.map(String.init) ?? ""
        let read = name.replacing(#/#([0-9]+);/#) { match in
            UInt32(match.1).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
        }
        #expect(Array(read.unicodeScalars) == Self.shown(text))
    }

    // MARK: Graphviz

    private static let isGraphvizInstalled = TemporaryFolder.contents(of: "/usr/bin/dot") != nil

    @Test(.enabled(if: isGraphvizInstalled, "Graphviz is not installed"), arguments: hostileTexts)
    func `Graphviz accepts the printed diagram and shows names unchanged`(text: String) async throws {
        let description = try PlanFixture.description(Self.manifest(naming: text))
        let folder = TemporaryFolder()
        folder.write(description.graphviz, to: "plan.dot")
        let drawing = try await Command.run("/usr/bin/dot", ["-Tjson", "plan.dot"], in: folder.path)
        #expect(drawing.status == 0 && drawing.errorText.isEmpty, "\(drawing.errorText)")
        let objects = try #require(try JSONParser().parse(drawing.output)["objects"]?.array)
        let names = objects.compactMap { $0["name"]?.string }
        #expect(names.filter { $0.hasPrefix("n") }.count == 6 && names.filter { $0.hasPrefix("cluster_") }.count == 4)
        let node = try #require(objects.first { $0["name"] == "n1" })
        let lines = node["_ldraw_"]?.array?.compactMap { $0["op"] == "T" ? $0["text"]?.string : nil }
        #expect(lines?.dropFirst().first.map { Array($0.unicodeScalars) } == Self.shown(text))
    }

    // MARK: Arrows

    @Test func `arrows show the order, needs, data and graphs of steps`() throws {
        let description = try PlanFixture.description(
            """
            services: {s: {baseURL: "http://127.0.0.1/"}}
            graphs:
              main:
                chain:
                  - {id: first, get: /1}
                  - id: side
                    batch:
                      - {id: a, get: /2, needs: [b]}
                      - {id: b, get: "/3/${steps.first.status}"}
                  - {id: last, get: "/4/${steps.b.status}/${steps.b.ok}/${steps.first.status}"}
                  - {id: call, graph: other}
                finally: [{id: bye, get: "/5/${default(steps.last.status, 0)}"}]
              other: {batch: [{get: /6}]}
            """
        )
        let diagram = PlanDiagramBuilder.diagram(of: description)
        let arrows = diagram.arrows.map { "\($0.reason): \($0.from) → \($0.to)" }
        #expect(
            arrows == [
                "order: node(3) → node(2)", "order: node(1) → box(2)", "order: box(2) → node(4)",
                "order: node(4) → node(5)", "order: node(5) → box(3)",
                "data: node(1) → node(3)", "data: node(3) → node(4)", "data: node(1) → node(4)",
                "data: node(4) → node(6)", "graph: node(5) → box(4)",
            ]
        )
    }
}
