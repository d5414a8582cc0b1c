import Testing
import WaybillJSON
import WaybillRuntime

@testable import WaybillManifest

/// The defined settings and authentication methods are those that the schema allows.
@Suite(.timeLimit(.minutes(5))) struct SettingDefinitionTests {
    /// The keys that are allowed next to settings but are not settings.
    private static let otherKeys: [(place: String, keys: Set<String>)] = [
        ("settings", ["inherit"]),
        ("defaults", []),
        ("service", ["description", "session", "openapi", "security"]),
        ("request", ["service", "vars", "outputs", "returns", "download", "mock"]),
        ("addressed", ["method", "path", "url"]),
        ("endpoint", ["description", "inputs", "check", "paginate", "operation"]),
        ("step", Set(StepKey.allCases.map(\.rawValue))),
        (
            "graph",
            ["description", "inputs", "check", "chain", "batch", "finally", "outputs", "state", "tags", "onFailure"]
        ),
    ]

    private let definitions: JSON

    init() throws {
        definitions = try #require(try JSONParser().parse(EmbeddedSchema.manifest.text)["$defs"])
    }

    private func names(of place: JSON?) throws -> Set<String> {
        Set(try #require(place?["properties"]?.object).names)
    }

    @Test func `the keys of settings are those in the schema`() throws {
        var found: Set<String> = []
        for (place, others) in Self.otherKeys { found.formUnion(try names(of: definitions[place]).subtracting(others)) }
        #expect(found == Set(SettingDefinitions.keys))
    }

    @Test func `the names under a key are those in the schema`() throws {
        let settings = try #require(definitions["settings"]?["properties"])
        #expect(try names(of: definitions["expect"]) == Set(ExpectationSetting.Part.allCases.map(\.rawValue)))
        #expect(try names(of: settings["contract"]) == Set(ContractSetting.Subject.allCases.map(\.rawValue)))
        #expect(try names(of: definitions["tls"]) == Set(TLSOption.Name.allCases.map(\.rawValue)))
        #expect(
            try names(of: settings["cache"]?["anyOf"]?.array?.last) == Set(CacheSetting.Name.allCases.map(\.rawValue))
        )
        let modes = try #require(definitions["cacheMode"]?["enum"]?.array)
        #expect(modes.compactMap(\.string) == CacheMode.allCases.map(\.rawValue))
        #expect(try names(of: settings["messages"]) == Set(MessageOption.Name.allCases.map(\.rawValue)))
        #expect(try names(of: settings["intercept"]) == Set(Interception.Moment.allCases.map(\.rawValue)))
        let actions = try #require(definitions["intercept"]?["items"]?["oneOf"]?.array)
        let keys = try actions.map { try names(of: $0).subtracting(["when"]) }
        #expect(Set(keys.flatMap { $0 }) == Set(Interception.Action.Key.allCases.map(\.rawValue)))
    }

    @Test(arguments: [
        (ParameterEncoding.key, ParameterEncoding.allCases.map(\.rawValue)),
        (ArrayStyle.key, ArrayStyle.allCases.map(\.rawValue)),
        (Decoding.key, Decoding.allCases.map(\.rawValue)),
        (HTTPVersion.key, HTTPVersion.allCases.map(\.rawValue)),
        (TrafficClass.key, TrafficClass.allCases.map(\.rawValue)),
        (Priority.key, Priority.allCases.map(\.rawValue)),
    ])
    func `the allowed words of a setting are those in the schema`(key: String, words: [String]) throws {
        let allowed = try #require(definitions["settings"]?["properties"]?[key]?["enum"]?.array)
        #expect(allowed.compactMap(\.string) == words)
    }

    @Test func `the fields of a token request are those in the schema`() throws {
        let oauth2 = try #require(definitions["oauth2"])
        var found = try names(of: oauth2)
        for grant in try #require(oauth2["oneOf"]?.array) {
            found.formUnion(try names(of: grant))
            found.formUnion((grant["required"]?.array ?? []).compactMap(\.string))
        }
        found.subtract(["grant", "clientAuth", "redirectURL", "store"])
        #expect(found == Set(OAuth2Authentication.Field.Name.allCases.map(\.rawValue)))
    }

    @Test func `the authentication methods are those in the schema`() throws {
        let alternatives = try #require(definitions["auth"]?["anyOf"]?.array)
        #expect(alternatives.first?["const"]?.string == "none")
        let keys = try alternatives.dropFirst().map { try names(of: $0) }
        #expect(Set(keys.flatMap { $0 }) == Set(Authentication.methods.map { $0.key }))
    }
}
