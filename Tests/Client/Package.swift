// swift-tools-version: 6.2
import PackageDescription

// A package of another author. It depends by version on a clone of the library, which check-client.sh makes.
let address = Context.environment["WAYBILL_ADDRESS"] ?? ""
let version = Version(Context.environment["WAYBILL_VERSION"] ?? "") ?? "0.0.0"

let package = Package(
    name: "client",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: address, exact: version)],
    targets: [
        .executableTarget(
            name: "Client",
            dependencies: [.product(name: "Waybill", package: "waybill")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ]
)
