import OrderedCollections
import WaybillDiagnostics

extension ManifestDecoder {
    /// Decodes one file and returns the diagnostics.
    ///
    /// - Parameters:
    ///   - shape: The errors in the shape of the tree.
    ///   - faults: All errors in the tree, once they are known.
    ///   - earlier: The manifest decoded before the errors were known; large parts without errors are reused.
    static func decode(
        _ node: YAMLNode,
        files: ManifestFiles,
        shape: TreeErrors? = nil,
        faults: TreeErrors? = nil,
        earlier: Manifest? = nil
    ) -> (manifest: Manifest, diagnostics: [Diagnostic]) {
        var decoder = ManifestDecoder(files: files, shape: shape, faults: faults)
        let manifest = decoder.manifest(node, earlier: earlier)
        return (manifest, decoder.diagnostics)
    }

    private mutating func manifest(_ node: YAMLNode, earlier: Manifest?) -> Manifest {
        let name = node["name"]?.scalar?.text ?? Self.defaultName(of: node.file)
        var manifest = Manifest(document: node, name: name)
        manifest.hasName = node["name"]?.scalar != nil
        manifest.description = node["description"]?.scalar?.text
        manifest.unknown = unknownContent(of: node)
        manifest.inputs = inputs(node["inputs"])
        manifest.secrets = definitions(node["secrets"]) { decoder, _, node, _ in decoder.secret(node) }
        manifest.data = definitions(node["data"]) { decoder, _, node, _ in decoder.dataDeclaration(node) }
        manifest.environments = definitions(node["environments"]) { decoder, _, node, _ in decoder.environment(node) }
        manifest.defaults = settings(node["defaults"], level: .defaults)
        if node["defaults"]?.mapping == nil, isUnknown("defaults", of: node) {
            manifest.defaults.unknown = Set(SettingDefinitions.levelKeys)
        }
        manifest.services = definitions(node["services"]) { decoder, name, node, _ in
            decoder.service(node, named: name.value)
        }
        manifest.filters = definitions(node["filters"]) { decoder, _, node, _ in
            decoder.filters(node, level: .defaults)
        }
        let (endpoints, graphs) = (earlier?.endpoints ?? [:], earlier?.graphs ?? [:])
        manifest.endpoints = definitions(node["endpoints"], earlier: endpoints) { decoder, name, node, _ in
            let inputs = decoder.inputs(node["inputs"])
            let request = decoder.request(node, level: .endpoint(name.value))
            let operation = node["operation"].flatMap { decoder.text($0) }
            return Endpoint(inputs: inputs, request: request, operationName: operation)
        }
        manifest.graphs = definitions(node["graphs"], earlier: graphs) { decoder, name, node, earlier in
            Graph(node, named: name.value, earlier: earlier, &decoder)
        }
        manifest.schemaFiles = schemaFiles
        manifest.includes = texts(in: node["include"])
        return manifest
    }

    private mutating func service(_ node: YAMLNode, named name: String) -> Service {
        let level = Level.service(name)
        let session = node["session"].flatMap { node in
            node["call"].flatMap { call($0, with: node["with"]) }.map { call in
                let statuses = node["renewOn"]?.sequence?.compactMap { $0.text.flatMap { StatusPattern($0) } }
                return SessionDefinition(call: call, renewOn: statuses ?? [.code(401)], level: level, span: node.span)
            }
        }
        var security: [(scheme: Spanned<String>, credentials: Setting<Authentication>)] = []
        for (scheme, value) in distinctNames(node["security"]) {
            guard let method = Authentication(value, &self) else { continue }
            security.append((scheme, Setting(method, at: value.span, level: level)))
        }
        return Service(
            settings: settings(node, level: level),
            contract: node["openapi"].flatMap { text($0) },
            security: security,
            session: session,
            unknown: unknownParts(of: node)
        )
    }

    private func dataDeclaration(_ node: YAMLNode) -> DataDeclaration? {
        if let pattern = node["glob"] { return text(pattern).map(DataDeclaration.glob) }
        let format = node["format"].flatMap { node in RecordFormats.readable.first { $0.name == node.text } }
        return node["file"].flatMap { text($0) }.map { .file(path: $0, format: format) }
    }

    private mutating func secret(_ node: YAMLNode) -> SecretDeclaration? {
        if let name = node["env"].flatMap({ text($0) }) {
            return SecretDeclaration(source: .variable(name.value), span: name.span)
        }
        if let path = node["file"].flatMap({ text($0) }) {
            return SecretDeclaration(source: .file(NamedFile(path: path, kind: .secret)), span: path.span)
        }
        guard let command = node["command"] else { return nil }
        let arguments = texts(in: command).map(\.value)
        guard arguments.first?.isEmpty == false else { return nil }
        var timeout = Duration.seconds(30)
        if let limit = node["timeout"], case .constant(let duration)? = timeLimit(limit) { timeout = duration }
        return SecretDeclaration(source: .command(arguments, timeout: timeout), span: command.span)
    }

    private mutating func environment(_ node: YAMLNode) -> Environment {
        Environment(
            defaults: settings(node["defaults"], level: .defaults),
            services: distinctNames(node["services"]).map { name, node in (name, service(node, named: name.value)) },
            inputs: distinctNames(node["inputs"]).map { ($0.name, Spanned($0.value.json, at: $0.value.span)) },
            secrets: distinctNames(node["secrets"]).compactMap { name, node in secret(node).map { (name, $0) } },
            data: distinctNames(node["data"]).compactMap { name, node in dataDeclaration(node).map { (name, $0) } }
        )
    }

    private static func defaultName(of file: SourceFile) -> String {
        let last = file.name.split(separator: "/").last.map(String.init) ?? file.name
        return [".yaml", ".yml"].first(where: last.hasSuffix).map { String(last.dropLast($0.count)) } ?? last
    }

    /// Reads the settings among the keys of a mapping.
    mutating func settings(_ node: YAMLNode?, level: Level) -> Settings {
        var settings = Settings()
        if let node { settings.unknown = unknownSettings(of: node) }
        for (key, value) in node?.entries ?? [] {
            guard let key = key.text else { continue }
            if key == SettingDefinitions.inherit {
                settings.declined = declined(value)
            } else {
                SettingDefinitions.byKey[key]?.read(value, &self, level: level, into: &settings)
            }
        }
        return settings
    }

    private func declined(_ node: YAMLNode) -> [Spanned<String>] {
        node.entries.compactMap { key, value in
            guard boolean(value) == false, let name = key.text, SettingDefinitions.byKey[name] != nil else {
                return nil
            }
            return Spanned(name, at: value.span)
        }
    }
}
