// swift-tools-version: 6.2
import PackageDescription

// In your own package, write the URL of chimed's repository instead of the path.
let package = Package(
  name: "swift-client",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "chimed", path: "../../..")],
  targets: [
    .executableTarget(
      name: "swift-client",
      dependencies: [.product(name: "ChimedClient", package: "chimed")],
      path: ".", sources: ["main.swift"])
  ]
)
