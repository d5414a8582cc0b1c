// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "waybill",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
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
            dependencies: ["WaybillDiagnostics"]
        ),
        .target(
            name: "WaybillResults",
            dependencies: ["WaybillData", "WaybillDiagnostics"]
        ),
        .target(
            name: "WaybillMock",
            dependencies: [
                "WaybillData",
                "WaybillDiagnostics",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        .testTarget(name: "WaybillDiagnosticsTests", dependencies: ["WaybillDiagnostics"]),
        .testTarget(name: "WaybillDataTests", dependencies: ["WaybillData"]),
        .testTarget(
            name: "WaybillResultsTests",
            dependencies: ["WaybillResults", "WaybillData", "WaybillDiagnostics"]
        ),
        .testTarget(name: "WaybillMockTests", dependencies: ["WaybillMock", "WaybillData"]),
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
