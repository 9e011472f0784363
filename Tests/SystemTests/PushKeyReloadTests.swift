import JSON
import Testing

/// Rule H20: the service returns the public key of its web push sink.
@OwnThread @Suite struct PushKeyReloadTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  /// Keys of the curve P-256 in base64url, and their public halves.
  private static let keys = [
    (
      "y4ha2yq8xwXzqLmWxPpZpWDeVnCMLpBa1e1Nfi0BzxY",
      "BAnhPY2k08_xAGvIIe_3vrUos9fUDUm1mCLBwge3QEXbJ5tg8p3YpMzGQH2tQVFD8QIvTLxVRqZnBY40qSLnZl8"
    ),
    (
      "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
      "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    ),
  ]

  private var file: String { workspace.path + "/chimed.yaml" }

  /// - Parameter sinks: the sinks of the channel push, in order.
  private func configure(push sinks: String) throws {
    let sink = { (number: Int) in
      "  web\(number): {type: webpush, key: {file: \(workspace.path)/key\(number)}, "
        + "subject: 'mailto:a@example.org'}"
    }
    let lines = [
      "catalogs: [imanpath]", "state-directory: \(workspace.state)", "sinks:",
      "  lines: {type: jsonl, file: \(workspace.path)/lines.jsonl}", sink(0), sink(1),
      "routes: {push: \(sinks)}",
    ]
    try Files.write(lines.joined(separator: "\n") + "\n", to: file)
  }

  @Test func `H20: the key is that of the first routed web push sink, also after a reload`() throws
  {
    for (number, key) in Self.keys.enumerated() {
      try Files.write(key.0 + "\n", to: "\(workspace.path)/key\(number)")
    }
    try configure(push: "[lines, web0, web1]")
    let service = try Service(
      workspace, arguments: ["serve", "--config", file, "--socket", workspace.socket])
    try service.waitUntilReady()
    #expect(try service.ask("GET", "/v1/push-key").body == ["key": .string(Self.keys[0].1)])
    try configure(push: "web1")
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    #expect(try service.ask("GET", "/v1/push-key").body == ["key": .string(Self.keys[1].1)])
    try configure(push: "lines")
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    #expect(try service.ask("GET", "/v1/push-key").status == 404)
    #expect(try service.stop() == .exited(0))
  }
}
