// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "waybill",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "waybill", targets: ["WaybillCLI"]),
        .library(name: "Waybill", targets: ["Waybill"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
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
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CBrotli",
            pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]
        ),
        .systemLibrary(name: "CZstandard", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"]), .brew(["libidn2"])]),
        .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"]), .brew(["nettle"])]),
        .systemLibrary(
            name: "CMicroHTTPD",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(name: "CSchemas", exclude: ["draft2020-12"]),
        .target(name: "CReports"),
        .target(name: "CExplanations", exclude: ["pages", "functions.json", "keys.json"]),
        .target(
            name: "CTexts",
            exclude: ["complete.bash", "complete.fish", "complete.zsh", "complete.changes", "first-manifest.yaml"]
        ),
        .target(name: "CPlatform"),
        // libxml2 is loaded when it is needed, so only its headers are used here, not the linker flags of pkg-config.
        .target(name: "CXML", cSettings: [.unsafeFlags(["-iwithsysroot", "/usr/include/libxml2"])]),
        .target(name: "WaybillPlatform", dependencies: ["CPlatform"]),
        .target(name: "WaybillDiagnostics"),
        .target(
            name: "WaybillJSON",
            dependencies: [
                "WaybillDiagnostics", "WaybillPlatform",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "WaybillFormats",
            dependencies: ["WaybillJSON", "WaybillDiagnostics", "WaybillPlatform", "CNettle", "CXML"]
        ),
        .target(
            name: "WaybillSchema",
            dependencies: [
                "WaybillFormats", "WaybillJSON", "WaybillDiagnostics", "WaybillPlatform", "CSchemas", "CIDN2",
                .product(name: "BitCollections", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "WaybillContract",
            dependencies: ["WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillDiagnostics"]
        ),
        .target(
            name: "WaybillExpressions",
            dependencies: ["WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillDiagnostics"]
        ),
        .target(name: "WaybillRuntime", dependencies: ["WaybillDiagnostics", "WaybillPlatform"]),
        .target(
            name: "WaybillManifest",
            dependencies: [
                "WaybillContract", "WaybillExpressions", "WaybillSchema", "WaybillFormats", "WaybillJSON",
                "WaybillRuntime", "WaybillDiagnostics", "WaybillPlatform", "CLibYAML", "CSchemas",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "WaybillPlan",
            dependencies: [
                "WaybillManifest", "WaybillContract", "WaybillExpressions", "WaybillSchema", "WaybillFormats",
                "WaybillJSON", "WaybillRuntime", "WaybillDiagnostics",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "WaybillResults",
            dependencies: [
                "WaybillFormats", "WaybillJSON", "WaybillRuntime", "WaybillDiagnostics", "WaybillPlatform", "CReports",
                "CSQLite", "CZlib",
            ],
            // Parts of the program, which CReports embeds.
            exclude: ["Reports/HTML/report.css", "Reports/HTML/report.js"]
        ),
        .target(
            name: "WaybillTransport",
            dependencies: [
                "WaybillFormats", "WaybillJSON", "WaybillRuntime", "CLibCurl", "CZlib", "CBrotli", "CZstandard",
                "CIDN2", "WaybillPlatform",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        .target(
            name: "WaybillExecution",
            dependencies: [
                "WaybillPlan", "WaybillManifest", "WaybillContract", "WaybillTransport", "WaybillResults",
                "WaybillExpressions", "WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillRuntime",
                "WaybillDiagnostics", "WaybillPlatform",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        .target(
            name: "WaybillTracing",
            dependencies: [
                "WaybillTransport", "WaybillResults", "WaybillFormats", "WaybillJSON", "WaybillRuntime",
                "WaybillDiagnostics", "WaybillPlatform",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        .target(
            name: "WaybillPlanPrinting",
            dependencies: [
                "WaybillPlan", "WaybillManifest", "WaybillContract", "WaybillTransport", "WaybillResults",
                "WaybillExpressions", "WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillDiagnostics",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "WaybillExplanations",
            dependencies: [
                "WaybillManifest", "WaybillExpressions", "WaybillSchema", "WaybillFormats", "WaybillJSON",
                "WaybillRuntime", "WaybillDiagnostics", "CExplanations",
            ]
        ),
        .target(
            name: "WaybillMock",
            dependencies: [
                "WaybillExpressions", "WaybillFormats", "WaybillJSON", "WaybillRuntime", "WaybillPlatform",
                "CMicroHTTPD",
            ]
        ),
        .target(
            name: "WaybillPipeline",
            dependencies: [
                "WaybillExecution", "WaybillPlanPrinting", "WaybillMock", "WaybillPlan", "WaybillManifest",
                "WaybillContract", "WaybillTransport", "WaybillResults", "WaybillExpressions", "WaybillSchema",
                "WaybillFormats", "WaybillJSON", "WaybillRuntime", "WaybillDiagnostics", "WaybillPlatform",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "Waybill",
            dependencies: [
                "WaybillPipeline", "WaybillExecution", "WaybillPlanPrinting", "WaybillPlan", "WaybillManifest",
                "WaybillTransport", "WaybillResults", "WaybillMock", "WaybillFormats", "WaybillJSON",
                "WaybillRuntime", "WaybillDiagnostics",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "WaybillImport",
            dependencies: [
                "WaybillManifest", "WaybillContract", "WaybillExpressions", "WaybillSchema", "WaybillResults",
                "WaybillFormats", "WaybillJSON", "WaybillDiagnostics",
            ]
        ),
        .target(
            name: "WaybillEditor",
            dependencies: [
                "WaybillPipeline", "WaybillPlanPrinting", "WaybillExplanations", "WaybillPlan", "WaybillManifest",
                "WaybillContract",
                "WaybillExpressions", "WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillRuntime",
                "WaybillDiagnostics", "WaybillPlatform",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .executableTarget(
            name: "WaybillCLI",
            dependencies: [
                "WaybillPipeline", "WaybillImport", "WaybillEditor", "WaybillTracing", "WaybillPlanPrinting",
                "WaybillExplanations", "WaybillMock", "WaybillExecution",
                "WaybillPlan", "WaybillManifest", "WaybillContract", "WaybillTransport", "WaybillResults",
                "WaybillExpressions", "WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillRuntime",
                "WaybillDiagnostics", "WaybillPlatform", "CTexts",
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .target(
            name: "WaybillTestSupport",
            dependencies: ["WaybillJSON", "WaybillPlatform"],
            path: "Tests/WaybillTestSupport"
        ),
        .executableTarget(
            name: "TransportBenchmark",
            dependencies: ["WaybillTransport", "WaybillPlatform"],
            path: "Benchmarks/Transport",
            exclude: ["measure.py", "many.py"]
        ),
        .testTarget(name: "WaybillDiagnosticsTests", dependencies: ["WaybillDiagnostics"]),
        .testTarget(
            name: "WaybillJSONTests",
            dependencies: ["WaybillJSON", "WaybillDiagnostics", "WaybillTestSupport"]
        ),
        .testTarget(
            name: "WaybillFormatsTests",
            dependencies: ["WaybillFormats", "WaybillJSON", "WaybillDiagnostics", "WaybillTestSupport"]
        ),
        .testTarget(
            name: "WaybillSchemaTests",
            dependencies: [
                "WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillDiagnostics", "WaybillTestSupport",
            ]
        ),
        .testTarget(
            name: "WaybillContractTests",
            dependencies: [
                "WaybillContract", "WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillDiagnostics",
                "WaybillTestSupport",
            ]
        ),
        .testTarget(
            name: "WaybillExpressionsTests",
            dependencies: [
                "WaybillExpressions", "WaybillExplanations", "WaybillSchema", "WaybillFormats", "WaybillJSON",
                "WaybillDiagnostics", "WaybillTestSupport",
            ]
        ),
        .testTarget(
            name: "WaybillManifestTests",
            dependencies: [
                "WaybillManifest", "WaybillExpressions", "WaybillSchema", "WaybillFormats", "WaybillJSON",
                "WaybillRuntime", "WaybillDiagnostics", "WaybillPlatform", "WaybillTestSupport",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .testTarget(
            name: "WaybillResultsTests",
            dependencies: [
                "WaybillResults", "WaybillManifest", "WaybillExpressions", "WaybillSchema", "WaybillFormats",
                "WaybillJSON",
                "WaybillRuntime", "WaybillDiagnostics", "WaybillPlatform", "WaybillTestSupport",
            ]
        ),
        .testTarget(
            name: "WaybillMockTests",
            dependencies: [
                "WaybillMock", "WaybillExpressions", "WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillRuntime",
                "WaybillPlatform", "WaybillTestSupport",
            ]
        ),
        .testTarget(
            name: "WaybillTransportTests",
            dependencies: [
                "WaybillTransport", "WaybillFormats", "WaybillJSON", "WaybillRuntime", "WaybillPlatform",
                "WaybillTestSupport",
            ]
        ),
        .testTarget(
            name: "WaybillPlanTests",
            dependencies: [
                "WaybillPlan", "WaybillManifest", "WaybillExpressions", "WaybillSchema", "WaybillFormats",
                "WaybillJSON", "WaybillRuntime", "WaybillDiagnostics", "WaybillTestSupport",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .testTarget(
            name: "WaybillImportTests",
            dependencies: [
                "WaybillImport", "WaybillPipeline", "WaybillPlan", "WaybillManifest", "WaybillFormats", "WaybillJSON",
                "WaybillDiagnostics", "WaybillTestSupport",
            ]
        ),
        .testTarget(
            name: "WaybillExecutionTests",
            dependencies: [
                "WaybillExecution", "WaybillPlan", "WaybillManifest", "WaybillTransport", "WaybillResults",
                "WaybillExpressions", "WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillRuntime",
                "WaybillDiagnostics", "WaybillPlatform", "WaybillTestSupport",
            ]
        ),
        .testTarget(
            name: "WaybillTests",
            dependencies: [
                "Waybill", "WaybillPipeline", "WaybillTracing", "WaybillPlanPrinting", "WaybillExplanations",
                "WaybillExecution", "WaybillPlan", "WaybillManifest", "WaybillResults", "WaybillExpressions",
                "WaybillTransport",
                "WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillRuntime",
                "WaybillDiagnostics", "WaybillPlatform", "WaybillTestSupport",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .testTarget(
            name: "WaybillCLITests",
            dependencies: [
                "WaybillCLI", "WaybillPipeline", "WaybillExplanations", "WaybillPlan", "WaybillManifest",
                "WaybillResults",
                "WaybillDiagnostics",
                "WaybillExpressions", "WaybillSchema", "WaybillFormats", "WaybillJSON", "WaybillRuntime",
                "WaybillPlatform", "WaybillTestSupport", "WaybillTransport",
            ],
            exclude: ["Cases"]
        ),
    ],
    swiftLanguageModes: [.v6],
    // For #embed.
    cLanguageStandard: .gnu2x
)

// Types such as Dictionary<String, JSON> would otherwise be put together at run time from their names, each with a search
// through the 5,600 conformances of the program: without it, a run of one request takes 2.5 instead of 2.8 times as long as
// curl (Benchmarks/Run/one.py), for 0.24 MB. SwiftPM accepts unsafe flags in a dependency whose tools version is 6.2 or later.
let directMetadata: SwiftSetting = .unsafeFlags(
    ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
    .when(configuration: .release)
)

for target in package.targets where target.type != .system && !target.name.hasPrefix("C") {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
        directMetadata,
    ]
}

// What the compiler cannot check is marked with `unsafe`. In these targets, which call C libraries everywhere, it would be
// marked everywhere.
let targetsOfCalls = [
    "WaybillPlatform", "WaybillRuntime", "WaybillTransport", "WaybillTestSupport", "TransportBenchmark",
]

for target in package.targets where target.type != .test && !targetsOfCalls.contains(target.name) {
    target.swiftSettings?.append(.strictMemorySafety())
}

// What carries a request out is many small asynchronous functions, one inside the other: they stay on the executor that
// they are called on, since a look for the right one at each call would cost as much as all else.
for target in package.targets where ["WaybillExecution", "WaybillTransport"].contains(target.name) {
    target.swiftSettings?.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
}
