import WaybillDiagnostics

extension ManifestDecoder {
    /// Reads the settings among the keys of a mapping.
    mutating func settings(_ node: YAMLNode?, level: Level) -> Settings {
        var settings = Settings()
        if let node { settings.unknown = unknownSettings(of: node) }
        guard let entries = node?.mapping?.entries else { return settings }
        for position in entries.indices {
            guard let index = entries.key(at: position, in: SettingName.table) else { continue }
            let value = entries.value(at: position)
            if index < SettingName.allCases.count {
                read(SettingName.allCases[index], value, level: level, into: &settings)
            } else {
                settings.declined = declined(value)
            }
        }
        return settings
    }

    private func declined(_ node: YAMLNode) -> [Spanned<SettingName>] {
        (node.mapping?.entries ?? .empty).compactMap { key, value in
            guard boolean(value) == false, let name: SettingName = word(key) else { return nil }
            return Spanned(name, at: value.span)
        }
    }
}
