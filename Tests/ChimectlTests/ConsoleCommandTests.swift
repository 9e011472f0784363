import JSON
import Testing

@testable import chimectl

/// The console's URL for a browser.
@Suite struct ConsoleCommandTests {
  private static let path = "/console/#t=chimed_a_b"

  private func answer(_ url: JSONValue) -> JSONValue {
    ["scope": "admin", "path": .string(Self.path), "url": url]
  }

  @Test func `the URL is the service's own unless another origin is given`() throws {
    let answer = answer(.string("http://127.0.0.1:7411" + Self.path))
    #expect(try ConsoleCommand.address(in: answer, at: nil) == "http://127.0.0.1:7411" + Self.path)
    for origin in ["https://chime.example", "https://chime.example/"] {
      let address = try ConsoleCommand.address(in: answer, at: origin)
      #expect(address == "https://chime.example" + Self.path)
    }
  }

  @Test func `without a TCP listener, the hint names the setting`() throws {
    let failure = #expect(throws: CommandError.self) {
      try ConsoleCommand.address(in: answer(.null), at: nil)
    }
    #expect(failure?.hint?.contains("listen: 7411") == true)
    let address = try ConsoleCommand.address(in: answer(.null), at: "http://localhost:8000")
    #expect(address == "http://localhost:8000" + Self.path)
  }
}
