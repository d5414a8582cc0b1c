// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "waybill",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
        ),
        .systemLibrary(
            name: "CLibCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .target(name: "WaybillDiagnostics"),
        .target(
            name: "WaybillData",
            dependencies: [
                "WaybillDiagnostics",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "WaybillManifest",
            dependencies: ["WaybillDiagnostics", "WaybillData", "CLibYAML"]
        ),
        .testTarget(name: "WaybillDiagnosticsTests", dependencies: ["WaybillDiagnostics"]),
        .testTarget(name: "WaybillDataTests", dependencies: ["WaybillData"]),
        .testTarget(
            name: "WaybillManifestTests",
            dependencies: ["WaybillManifest", "WaybillData", "WaybillDiagnostics"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
