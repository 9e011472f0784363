import API
import Access
import HTTPTypes
import Testing

/// No page of another site can use the permissions of a browser's user (rule H1).
@Suite(.timeLimit(.minutes(1))) struct PageTests {
  private static let refused: [[String: String]] = [
    ["Origin": "http://evil.example"], ["Origin": "null"], ["Origin": "http://localhost:3000"],
    ["Origin": "http://localhost.evil.example"], ["Origin": ""], ["Origin": "localhost"],
    ["Origin": "file://localhost"], ["Origin": "http://localhost, http://localhost"],
    ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": "x"],
    ["Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"],
  ]

  private static let served: [[String: String]] = [
    [:], ["Origin": "http://localhost"], ["Origin": "http://localhost:80"],
    ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"],
    ["Origin": "https://chime.home.arpa"],
    ["Sec-Fetch-Site": "same-origin", "Origin": "https://front.example"],
  ]

  private func status(
    of request: String, _ fields: [String: String], isOverTCP: Bool
  ) async throws -> String {
    let tokens = FakeTokens()
    let lines = fields.map { "\($0): \($1)\r\n" }.joined()
    let bearer = isOverTCP ? "Authorization: Bearer \(tokens.make(.administrator))\r\n" : ""
    var answer = ""
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"),
      access: APIAccess(tokens: tokens, hosts: ["chime.home.arpa"])
    ) { server in
      try await RawConnection.opened(to: server, isOverTCP: isOverTCP) { connection in
        try await connection.send(
          "\(request) HTTP/1.1\r\nHost: localhost\r\n\(lines)\(bearer)Connection: close\r\n\r\n")
        answer = try await connection.receiveAll()
      }
    }
    return answer
  }

  @Test(arguments: refused, [true, false])
  func `H1: a request by a page of another site is refused with the reason`(
    fields: [String: String], isOverTCP: Bool
  ) async throws {
    for request in ["GET /v1/status", "GET /healthz", "POST /v1/events"] {
      let answer = try await status(of: request, fields, isOverTCP: isOverTCP)
      #expect(answer.hasPrefix("HTTP/1.1 403 "))
      #expect(answer.contains("urn:chimed:problem:cross-site"))
      #expect(answer.contains("which is not the service's own"))
    }
  }

  @Test(arguments: served, [true, false])
  func `H1: a request that no foreign page has sent is served`(
    fields: [String: String], isOverTCP: Bool
  ) async throws {
    let answer = try await status(of: "GET /v1/status", fields, isOverTCP: isOverTCP)
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
  }
}
