import Testing

@testable import chimectl

/// Tests requests against the service's HTTP interface.
@Suite struct ServiceConnectionTests {
  private func connection(_ socket: String) -> ServiceConnection {
    ServiceConnection(ServiceEndpoint(socket: socket), timeout: .seconds(60))
  }

  @Test func `a long response arrives in parts`() async throws {
    try await TestService.serving { socket in
      let name = ServiceConnection.segment(TestService.recipient)
      let connection = connection(socket)
      let path = "/v1/recipients/\(name)/pending?limit=1000"
      var bytes: [UInt8] = []
      for try await part in try await connection.stream("GET", path) { bytes += part }
      #expect(bytes == (try await connection.request("GET", path)))
      #expect(bytes.count > 100_000)
    }
  }

  @Test func `a missing service is unreachable`() async throws {
    let connection = connection("/tmp/chimed-test-none")
    let error = await #expect(throws: ConnectionError.self) {
      try await connection.request("GET", "/")
    }
    guard case .unreachable(let code?, _) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(code == 2)
  }

  /// An invalid token is refused although the socket's peer would be trusted.
  @Test func `the token is sent`() async throws {
    try await TestService.serving { socket in
      let endpoint = ServiceEndpoint(address: .socket(socket), token: "chimed_none_x")
      let connection = ServiceConnection(endpoint, timeout: .seconds(60))
      let error = await #expect(throws: ConnectionError.self) {
        try await connection.request("GET", "/v1/status")
      }
      guard case .refused(let status, _) = error else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(status == 401)
    }
  }
}
