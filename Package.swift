// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]
// Strict memory safety for every module but Reactor, whose purpose is to hold all unsafe code.
let safe = strict + [.strictMemorySafety()]

let package = Package(
  name: "headwind",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "headwind", targets: ["headwind"])],
  targets: [
    .systemLibrary(
      name: "CLibevent",
      pkgConfig: "libevent",
      providers: [.apt(["libevent-dev"]), .brew(["libevent"])]),
    .target(name: "Reactor", dependencies: ["CLibevent"], swiftSettings: strict),
    .target(name: "Conditioning", swiftSettings: safe),
    .target(name: "Forwarding", swiftSettings: safe),
    .target(name: "Settings", dependencies: ["Conditioning", "Forwarding"], swiftSettings: safe),
    .target(
      name: "Proxying", dependencies: ["Reactor", "Conditioning", "Forwarding", "Settings"], swiftSettings: safe),
    .target(
      name: "ControlAPI", dependencies: ["Reactor", "Conditioning", "Settings", "Proxying"], swiftSettings: safe),
    .executableTarget(
      name: "headwind", dependencies: ["Reactor", "Conditioning", "Settings", "Proxying", "ControlAPI"],
      swiftSettings: safe),
    .target(name: "LoopTesting", dependencies: ["Reactor"], path: "Tests/LoopTesting", swiftSettings: strict),
    .testTarget(name: "ReactorTests", dependencies: ["Reactor", "LoopTesting"], swiftSettings: strict),
    .testTarget(name: "ConditioningTests", dependencies: ["Conditioning"], swiftSettings: strict),
    .testTarget(name: "ForwardingTests", dependencies: ["Forwarding"], swiftSettings: strict),
    .testTarget(
      name: "SettingsTests", dependencies: ["Settings", "Conditioning", "Forwarding"], swiftSettings: strict),
    .testTarget(
      name: "ProxyingTests", dependencies: ["Proxying", "Reactor", "Settings", "Conditioning", "LoopTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "ControlAPITests",
      dependencies: ["ControlAPI", "Proxying", "Reactor", "Settings", "Conditioning", "LoopTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "HeadwindTests", dependencies: ["headwind", "Reactor", "Settings", "Conditioning"], swiftSettings: strict),
    .testTarget(name: "EndToEndTests", dependencies: ["headwind"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
