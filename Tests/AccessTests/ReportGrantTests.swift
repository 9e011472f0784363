import Access
import Testing

/// The text of a grant is stored with its token and sent between nodes (rule H19).
@Suite struct ReportGrantTests {
  @Test(arguments: [
    "report", "report types=relapse", "report types=lesson.completed,relapse source=app",
    "report source=a b,c types=d", "report source=\u{301}x",
  ])
  func `H19: a grant is written as it was read`(text: String) throws {
    #expect(try #require(ReportGrant(text)).text == text)
    #expect(AccessScope(text)?.text == text)
    #expect(AccessScope(text)?.name == "report")
  }

  @Test func `H19: a grant has the types and the source of its text`() throws {
    let grant = try #require(ReportGrant("report types=lesson.completed,relapse source=a b"))
    #expect(grant.types == ["lesson.completed", "relapse"])
    #expect(grant.source == "a b")
    #expect(try #require(ReportGrant("report source=x types=y")).types.isEmpty)
  }

  @Test(arguments: [
    "", "Report", "reports", "report ", "report types=", "report types=a,,b", "report types=a b",
    "report source=", "report  source=a", "report types=a  source=b", "report source=a\nb",
    "report types=\(String(repeating: "a", count: 129))",
    "report source=\(String(repeating: "a", count: 257))",
    "report types=\(Array(repeating: "a", count: 101).joined(separator: ","))",
  ])
  func `H19: a text that is not a grant is rejected`(text: String) {
    #expect(ReportGrant(text) == nil)
    #expect(AccessScope(text) == nil)
  }

  @Test func `H19: the scope report has no right and covers no recipient`() {
    let scope = AccessScope.report(.unlimited)
    for right in AccessScope.Right.allCases { #expect(!scope.has(right)) }
    #expect(!scope.covers("u1") && scope.recipient == nil && scope.sourceNamespace == nil)
    #expect(scope.isApp && AccessScope.administrator.isApp)
    #expect(!AccessScope.support.isApp && !AccessScope.observer.isApp)
    #expect(!AccessScope.recipient("u1").isApp)
  }

  @Test func `another Unicode spelling of a source is another source`() throws {
    let grant = try #require(ReportGrant(types: [], source: "caf\u{e9}"))
    #expect(grant.includes(source: "caf\u{e9}"))
    #expect(!grant.includes(source: "cafe\u{301}"))
  }
}
