// swift-tools-version: 6.2
import PackageDescription

// The parsers by themselves, compiled with libFuzzer's instrumentation. The sources are links to those of Waybill:
// `package` access does not reach across packages, and Waybill's own build stays as it is.
let package = Package(
    name: "waybill-fuzz",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1"),
        .systemLibrary(name: "CNettle", pkgConfig: "nettle"),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2"),
        .target(name: "WaybillDiagnostics"),
        .target(name: "WaybillJSON", dependencies: ["WaybillDiagnostics", "WaybillPlatform"]),
        .target(
            name: "WaybillFormats",
            dependencies: ["WaybillJSON", "WaybillDiagnostics", "WaybillPlatform", "CNettle"]
        ),
        .target(
            name: "WaybillSchema",
            dependencies: ["WaybillFormats", "WaybillJSON", "WaybillDiagnostics", "CSchemas", "CIDN2"]
        ),
        .target(
            name: "WaybillExpressions",
            dependencies: ["WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillDiagnostics"]
        ),
        .target(name: "WaybillRuntime", dependencies: ["WaybillDiagnostics", "WaybillPlatform"]),
        .target(
            name: "WaybillManifest",
            dependencies: ["WaybillJSON", "WaybillDiagnostics", "WaybillPlatform", "CLibYAML"]
        ),
        .target(name: "CPlatform"),
        .target(name: "CReports"),
        .target(name: "CSchemas", exclude: ["draft2020-12"]),
        .target(name: "WaybillPlatform", dependencies: ["CPlatform"]),
        .target(
            name: "WaybillResults",
            dependencies: [
                "WaybillFormats", "WaybillJSON", "WaybillRuntime", "WaybillDiagnostics", "WaybillPlatform", "CReports",
                "CZlib",
                "CSQLite",
            ],
            exclude: ["Reports/HTML/report.css", "Reports/HTML/report.js"]
        ),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .executableTarget(name: "FuzzJournal", dependencies: ["WaybillResults", "WaybillFormats", "WaybillJSON"]),
        .executableTarget(name: "FuzzYAML", dependencies: ["WaybillManifest", "WaybillJSON", "WaybillDiagnostics"]),
        .executableTarget(name: "FuzzJSON", dependencies: ["WaybillJSON"]),
        .executableTarget(name: "FuzzJSONPath", dependencies: ["WaybillExpressions", "WaybillJSON", "WaybillFormats"]),
        .executableTarget(
            name: "FuzzExpression",
            dependencies: ["WaybillExpressions", "WaybillJSON", "WaybillFormats"]
        ),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu2x
)

for target in package.targets where target.type != .system && !target.name.hasPrefix("C") {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
