import Access
import HTTPTypes
import Testing

@testable import API

/// The recipient of a request, on routes with and without a recipient in their path.
@Suite struct CallerTests {
  private let recipient = Caller(
    scope: .recipient("amina"), name: "token a", isLocal: false, bearer: "a")
  private let administrator = Caller(
    scope: .administrator, name: "user 0", isLocal: true, bearer: nil)

  @Test func `a recipient's token needs no recipient parameter`() throws {
    #expect(try recipient.recipient(named: nil) == "amina")
    #expect(try recipient.recipient(named: "amina") == "amina")
  }

  @Test(arguments: ["badr", "", "Amina", "a\u{0}"])
  func `a recipient's token cannot name another recipient`(name: String) {
    let problem = #expect(throws: Problem.self) { try recipient.recipient(named: name) }
    #expect(problem?.kind == .forbidden)
    #expect(problem?.detail == Problem.foreignRecipient.detail)
  }

  @Test func `an administrator has to name the recipient`() throws {
    #expect(try administrator.recipient(named: "badr") == "badr")
    let problem = #expect(throws: Problem.self) { try administrator.recipient(named: nil) }
    #expect(problem?.kind == .invalidParameter)
    #expect(problem?.path == "recipient")
  }

  @Test func `a route without a recipient in its path has a recipient parameter`() {
    let routeOfRecipient = Route(
      .get, "/v1/recipients/{recipient}/x", .health,
      answer: .recipient { _, _ in .init(.foreignRecipient) })
    let routeWithParameter = Route(
      .get, "/api/x/{item}", .health, answer: .recipient { _, _ in .init(.foreignRecipient) })
    #expect(!routeOfRecipient.hasRecipientParameter)
    #expect(routeWithParameter.hasRecipientParameter)
    let values = routeWithParameter.values(in: RouteTable.segments(of: "/api/x/7"))
    #expect(values?.segments == ["7"])
    #expect(values?.recipient == nil)
    let namedRecipient = routeOfRecipient.values(
      in: RouteTable.segments(of: "/v1/recipients/a/x"))?.recipient
    #expect(namedRecipient == "a")
  }
}
