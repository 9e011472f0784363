import CivilTime
import Engine
import Reminders
import Store
import Testing

/// The search for recipients, page by page (rule H26).
@Suite struct RecipientSearchTests {
  private let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
    for number in 1...7 { try stage.take("relapse", of: "ana-\(number)") }
    try stage.take("recipient.deleted", of: "ana-3")
    try stage.take("relapse", of: "bilal")
  }

  private func pages(_ text: String, limit: Int) throws -> [[String]] {
    var (pages, query): ([[String]], _) = ([], RecipientSearchQuery(text: text, limit: limit))
    while true {
      let page = try stage.query(query)
      pages.append(page.recipients.map(\.name))
      guard let next = page.next else { return pages }
      query.cursor = try #require(RecipientSearchQuery.Cursor(next))
      try #require(pages.count < 20)
    }
  }

  @Test func `H26: each match is on one page, and an erased recipient on none`() throws {
    let all = ["ana-1", "ana-2", "ana-4", "ana-5", "ana-6", "ana-7"]
    for limit in 1...7 {
      for text in ["ANA-", "ana-", "na-"] {
        let pages = try pages(text, limit: limit)
        #expect(pages.flatMap(\.self) == all)
        #expect(pages.allSatisfy { $0.count <= limit })
      }
    }
    #expect(try pages("l", limit: 5) == [["bilal"]])
    #expect(try pages("bilal", limit: 5) == [["bilal"]])
    #expect(try pages("chloe", limit: 5) == [[]])
  }
}
