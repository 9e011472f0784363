import Testing

@testable import API

@Suite struct TCPAddressTests {
  @Test(arguments: [
    ("7411", "127.0.0.1:7411"), ("127.0.0.1:0", "127.0.0.1:0"), ("0.0.0.0:80", "0.0.0.0:80"),
    ("[::1]:65535", "[::1]:65535"), ("[::]:7411", "[::]:7411"),
  ])
  func `an address with a port, or a port alone, is read`(text: String, expected: String) {
    #expect(TCPAddress(text)?.description == expected)
  }

  @Test(arguments: [
    "", ":", ":7411", "65536", "-1", "+1", "7411 ", "localhost:7411", "127.0.0.1", "127.0.0.1:",
    "::1:7411", "[127.0.0.1]:7411", "[::1]", "[]:7411", "[::1:7411", "127.1:7411",
  ])
  func `an invalid address is not read`(text: String) {
    #expect(TCPAddress(text) == nil)
  }
}
