import OrderedCollections
import Testing
import WaybillDiagnostics
import WaybillExpressions
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillManifest

/// The decoder reads everything that the schema allows.
@Suite(.timeLimit(.minutes(5))) struct ManifestDecoderTests {
    private let manifest: Manifest
    private let diagnostics: [Diagnostic]

    init() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let folder = "\(root)/Tests/Manifests"
        let bytes = try #require(TemporaryFolder.contents(of: "\(folder)/every-key.yaml"))
        let file = SourceFile(name: "\(folder)/every-key.yaml", bytes: bytes)
        let node = try #require(YAMLReader().read(file).document)
        let boundary = FolderBoundary(folder: folder, allowsOutside: false)
        let files = ManifestFiles(folder: folder, boundary: boundary)
        let decoded = ManifestDecoder.decode(node, files: files)
        manifest = decoded.manifest
        diagnostics = decoded.diagnostics
    }

    private var steps: [Step] {
        func all(_ steps: [Step]) -> [Step] {
            steps.flatMap { step -> [Step] in
                if case .group(let group) = step.action { [step] + all(group.steps) } else { [step] }
            }
        }
        return manifest.graphs.values.flatMap { all($0.value.body.steps) + all($0.value.finally?.steps ?? []) }
    }

    @Test func `only missing schema files are reported`() {
        let errors = diagnostics.filter { $0.severity == .error }
        #expect(!errors.isEmpty)
        #expect(errors.allSatisfy { $0.id == "unreadable-file" && $0.headline.contains("the schema ") })
    }

    @Test(arguments: SettingDefinitions.keys)
    func `every setting is read from a place where it is allowed`(name: String) {
        var said = Set(manifest.defaults.entries.map(\.value.key))
        for service in manifest.services.values { said.formUnion(service.value.settings.entries.map(\.value.key)) }
        for endpoint in manifest.endpoints.values {
            said.formUnion(endpoint.value.request.settings.entries.map(\.value.key))
        }
        // An empty list of filters has no effect.
        #expect(said.contains(name) || name == FilterEntry.key)
    }

    @Test func `settings that are maps are split into entries, and null removes a name`() {
        let defaults = manifest.defaults
        #expect(defaults.headers.map(\.value.name.value) == ["X-System", "X-Many", "X-None"])
        #expect(defaults.headers.map { $0.value.texts?.count } == [1, 3, nil])
        let tls = defaults.entries.filter { $0.value.key == TLSSetting.key }.compactMap(\.value.part)
        #expect(Set(tls) == Set(TLSOption.Name.allCases.map(\.rawValue)))
        let service = manifest.services["accounts"]?.value.settings
        #expect(service?.entries.filter(\.value.isUnset).compactMap(\.value.part) == ["pins", "general"])
        #expect(defaults.declined.map(\.value) == ["headers", "params", "query", "filters", "expect", "intercept"])
        #expect(service?.redirects?.value == 0)
    }

    @Test(arguments: StepForm.allCases)
    func `every form of step is read`(form: StepForm) {
        #expect(steps.contains { $0.form == form })
    }

    @Test func `all keys that control when and how often a step runs are read`() throws {
        let step = try #require(steps.first { $0.id?.value == "one" })
        let flow = try #require(step.flow)
        #expect(flow.when?.expression.text == "run.environment == 'staging'")
        #expect(flow.forEach?.variable.value == "number")
        #expect(flow.forEach?.concurrency?.value == 2)
        #expect(flow.until?.times == 10)
        #expect(flow.until?.fail?.message?.constantText == "it failed")
        let write = try #require(flow.writes.first)
        #expect(write.format == CSVFormat.self)
        #expect(write.columns.map(\.name.value) == ["id", "price"])
        #expect(write.columns.map { $0.value == nil } == [true, false])
        guard case .constant(let deadline) = flow.deadline?.value, case .constant(let delay) = flow.delay else {
            Issue.record("the deadline and the delay are constants")
            return
        }
        #expect(deadline == .seconds(60))
        #expect(delay == .seconds(1))
        #expect(step.onFailure == .continue)
        #expect(steps.compactMap(\.flow).flatMap(\.needs).map(\.value) == ["one"])
        let ways = steps.compactMap(\.flow?.paginate).map { pagination in
            switch pagination.style {
            case .next: "next"
            case .link: "link"
            case .page(let place, let start): "page \(place.name.value) \(start)"
            case .offset(let place, let limit): "offset \(place.name.value) \(limit)"
            case .cursor(let place, _): "cursor \(place.name.value)"
            }
        }
        #expect(ways == ["next", "link", "page page 0", "offset offset 100", "cursor cursor"])
    }

    @Test func `every filter stage is read`() throws {
        let entries = try #require(manifest.filters["all"]?.value).map(\.value)
        let names = entries.map { entry in
            switch entry {
            case .named(_, let onEveryStatus): onEveryStatus ? "any" : "name"
            case .stage(let stage): stage.key
            }
        }
        #expect(Set(names) == Set(FilterStages.all.map { $0.key } + ["name", "any"]))
    }

    @Test func `every kind of body and of credentials is read`() {
        let requests = manifest.endpoints.values.map(\.value.request)
        let bodies = Set(requests.compactMap { $0.settings.body?.value.key })
        #expect(bodies == ["json", "form", "plist", "text", "base64", "file", "graphql", "multipart"])
        let auth = requests.compactMap { $0.settings.auth?.value.method.map { type(of: $0).key } }
        #expect(Set(auth) == ["basic", "digest", "bearer", "apiKey", "awsSigV4", "netrc", "oauth2"])
        let multipart = manifest.endpoints["client"]?.value.request.settings.body?.value as? MultipartBody
        #expect(multipart?.parts.count == 5)
    }

    @Test func `environments, data, sessions and graphs are read`() {
        let staging = manifest.environments["staging"]?.value
        #expect(staging?.services.first?.service.session?.call.name.value == "stagingLogin")
        #expect(staging?.data.map(\.name.value) == ["regions"])
        #expect(manifest.data.keys == ["regions", "images"])
        #expect(manifest.services["accounts"]?.value.session?.renewOn == [.code(401), .class(4)])
        #expect(manifest.graphs["main"]?.value.tags.map(\.value) == ["smoke", "nightly"])
        #expect(manifest.graphs["main"]?.value.finally?.steps.count == 1)
        #expect(manifest.graphs["main"]?.value.inputs.keys == ["from"])
        #expect(manifest.endpoints["login"]?.value.request.vars.map(\.name.value) == ["stamp"])
        #expect(manifest.endpoints["login"]?.value.request.download?.resumes == false)
        #expect(manifest.endpoints["login"]?.value.request.returns?.isCollection == false)
    }
}
