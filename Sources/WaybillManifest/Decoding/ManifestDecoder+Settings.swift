import WaybillDiagnostics

extension ManifestDecoder {
    /// Reads the settings among the keys of a mapping.
    mutating func settings(_ node: YAMLNode?, level: Level) -> Settings {
        var settings = Settings()
        if let node { settings.unknown = unknownSettings(of: node) }
        for (key, value) in node?.mapping?.entries ?? .empty {
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
        (node.mapping?.entries ?? .empty).compactMap { key, value in
            guard boolean(value) == false, let name = key.text, SettingDefinitions.byKey[name] != nil else {
                return nil
            }
            return Spanned(name, at: value.span)
        }
    }
}
