import AnswerPeers
import CivilTime
import HTTPTransfers
import Outbox
import Sinks
import Testing

/// Parsing of a reply's head, and its limits.
@Suite struct ReplyHeadTests {
  private func outcome(of text: String) async throws -> String {
    let book = AnswerBook(healthy: AnswerScript(Array(text.utf8)))
    let peer = try await AnswerPeer { AnswerConnection(book) }
    let client = try SafeHTTPClient(
      HTTPSettings(policy: AddressPolicy(allowed: ["127.0.0.0/8"].compactMap(Network.init))),
      deadline: .seconds(20), concurrency: 1)
    do throws(HTTPTransferError) {
      let url = try HTTPURL.loopback(peer.port)
      return "\(try await client.send(HTTPRequest(body: []), to: url).status)"
    } catch {
      guard case .unanswered(let reason) = error else { return "unreachable: \(error.reason)" }
      return reason
    }
  }

  @Test(arguments: [0, 1, 99, 101, 600, 999])
  func `D3: a status outside of HTTP's range is not an answer`(status: Int) async throws {
    let digits = String("00\(status)".suffix(3))
    // libcurl does not pass on a status below 100.
    let detail = status < 100 ? "" : ": its status \(status) is invalid"
    let reason = "the answer is not HTTP" + detail
    for remainder in [
      "X\r\n\r\n", "X\r\nContent-Length: 3\r\n\r\nabc",
      "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ] {
      #expect(try await outcome(of: "HTTP/1.1 \(digits) \(remainder)") == reason)
    }
  }

  @Test(arguments: [200, 204, 299, 300, 404, 500, 599])
  func `every final status is an answer`(status: Int) async throws {
    let outcome = try await outcome(of: "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")
    #expect(outcome == "\(status)")
  }

  @Test(arguments: [
    ("", "200"), ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\n", "200"),
  ])
  func `interim replies are not answers`(interimReplies: String, status: String) async throws {
    #expect(
      try await outcome(of: interimReplies + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        == status)
  }

  @Test func `D3: a flood of interim replies ends at 64 kB`() async throws {
    let flood = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 20_000)
    #expect(try await outcome(of: flood) == "the answer is not HTTP")
  }

  @Test func `a long body does not count as a long head`() async throws {
    let body = String(repeating: "b", count: 1 << 20)
    let text = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
    #expect(try await outcome(of: text) == "200")
  }

  @Test(arguments: [
    ("200", ReplyStatus.final(200)), ("599", .final(599)), ("100", .interim), ("199", .interim),
    ("101", nil), ("099", nil), ("000", nil), ("600", nil), ("", nil), ("20", nil), ("2000", nil),
    ("+20", nil), ("-20", nil), (" 20", nil), ("2 0", nil), ("٢٠٠", nil),
  ])
  func `a status is three ASCII digits up to 599, except 101`(text: String, status: ReplyStatus?) {
    #expect(ReplyStatus(text: text) == status)
  }
}

extension HTTPURL {
  fileprivate static func loopback(_ port: Int) throws(HTTPTransferError) -> HTTPURL {
    do throws(HTTPURL.ParsingError) {
      return try HTTPURL("http://127.0.0.1:\(port)/")
    } catch {
      throw .unreachable(error.description)
    }
  }
}
