// swift-tools-version: 6.2
import PackageDescription

// The parsers by themselves, compiled with libFuzzer's instrumentation. The sources are links to those of Waybill:
// `package` access does not reach across packages, and Waybill's own build stays as it is.
let package = Package(
    name: "waybill-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")
    ],
    targets: [
        .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1"),
        .target(name: "WaybillDiagnostics"),
        .target(
            name: "WaybillData",
            dependencies: ["WaybillDiagnostics", .product(name: "Crypto", package: "swift-crypto")]
        ),
        .target(
            name: "WaybillManifest",
            dependencies: ["WaybillData", "WaybillDiagnostics", "CLibYAML"]
        ),
        .target(name: "CPlatform"),
        .target(name: "WaybillResults", dependencies: ["WaybillData", "WaybillDiagnostics", "CPlatform"]),
        .executableTarget(name: "FuzzJournal", dependencies: ["WaybillResults", "WaybillData"]),
        .executableTarget(name: "FuzzYAML", dependencies: ["WaybillManifest", "WaybillData", "WaybillDiagnostics"]),
        .executableTarget(name: "FuzzJSON", dependencies: ["WaybillData"]),
        .executableTarget(name: "FuzzJSONPath", dependencies: ["WaybillData"]),
        .executableTarget(name: "FuzzExpression", dependencies: ["WaybillData"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.name != "CPlatform" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
