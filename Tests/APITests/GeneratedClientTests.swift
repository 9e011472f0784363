import Foundation
import JSON
import Reminders
import Testing

@testable import API

/// Rule H8: a common generator makes a client from the description of every catalog.
@Suite(.timeLimit(.minutes(5))) struct GeneratedClientTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardized.path
  private static let tools = root + "/.build/tools/openapi/bin/"
  private static let isInstalled = FileManager.default.isExecutableFile(
    atPath: tools + "openapi-python-client")

  private static func catalog(_ name: String) throws -> String {
    switch name {
    case "README":
      let text = try String(contentsOfFile: root + "/README.md", encoding: .utf8)
      let blocks = text.components(separatedBy: "```")
      let catalogBlock = try #require(blocks.first { $0.hasPrefix("yaml\ncatalog:") })
      return String(catalogBlock.dropFirst(5))
    case "empty": return "catalog: empty\ncategories: {}\nreminders: {}\n"
    default:
      return try String(contentsOfFile: root + "/config/catalogs/\(name).yaml", encoding: .utf8)
    }
  }

  private static func run(_ program: String, _ arguments: [String], at directory: String) throws
    -> String
  {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: directory)
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let messages = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(messages)")
    return messages
  }

  /// A Python program that imports every module of the generated package `client`.
  private static let imports = """
    import importlib, pkgutil, client
    for module in pkgutil.walk_packages(client.__path__, "client."):
        importlib.import_module(module.name)
    """

  @Test(
    .enabled(
      if: isInstalled, "openapi-python-client is missing; run `make test`, which fetches it"),
    arguments: ["imanpath", "urbannest", "rooms", "wellness", "trials", "README", "empty"])
  func `H8: a client can be generated and imported`(name: String) async throws {
    let planner = try Fixtures.planner(catalog: Self.catalog(name))
    try await TemporaryDirectory.with { directory in
      let service = try FakeService(.success(planner))
      try await TestServer.serving(service) { server in
        let text = try await server.get("/openapi.json").text
        try text.write(toFile: directory + "/openapi.json", atomically: true, encoding: .utf8)
      }
      let messages = try Self.run(
        Self.tools + "openapi-python-client",
        [
          "generate", "--meta", "none", "--path", directory + "/openapi.json",
          "--output-path", directory + "/client",
        ], at: directory)
      for complaint in ["Unable to", "Attempted to", "ERROR"] {
        #expect(!messages.contains(complaint), "\(messages)")
      }
      _ = try Self.run(Self.tools + "python", ["-B", "-c", Self.imports], at: directory)
    }
  }

  @Test(arguments: ["README", "empty", "trials"])
  func `H8: no enum or oneOf in the description is empty`(name: String) async throws {
    let planner = try Fixtures.planner(catalog: Self.catalog(name))
    try await TestServer.serving(FakeService(.success(planner))) { server in
      let text = try await server.get("/openapi.json").text
      #expect(!text.contains(#""enum":[]"#) && !text.contains(#""oneOf":[]"#))
    }
  }
}
