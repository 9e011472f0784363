import CivilTime
import Engine
import Reminders
import Store
import Testing

/// The search for recipients, page by page (rule H29).
@Suite struct RecipientSearchTests {
  private let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
    for number in 1...7 { try stage.take("relapse", of: "ana-\(number)") }
    try stage.take("recipient.deleted", of: "ana-3")
    try stage.take("relapse", of: "bilal")
  }

  private func pages(_ text: String, limit: Int) throws -> [[String]] {
    var (pages, after): ([[String]], UInt32) = ([], 0)
    while true {
      let page = try stage.query(RecipientSearchQuery(text: text, after: after, limit: limit))
      pages.append(page.recipients.map(\.name))
      guard let next = page.next else { return pages }
      after = try #require(UInt32(next))
      try #require(pages.count < 20)
    }
  }

  @Test func `H29: each match is on one page, and an erased recipient on none`() throws {
    let all = ["ana-1", "ana-2", "ana-4", "ana-5", "ana-6", "ana-7"]
    for limit in 1...7 {
      let pages = try pages("ANA-", limit: limit)
      #expect(pages.flatMap(\.self) == all)
      #expect(pages.allSatisfy { $0.count <= limit })
    }
    #expect(try pages("bilal", limit: 5) == [["bilal"]])
    #expect(try pages("chloe", limit: 5) == [[]])
  }
}
