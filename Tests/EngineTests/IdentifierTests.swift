import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine
@testable import SQLiteStore

/// Every reader of notification ids accepts the same texts.
@Suite struct IdentifierTests {
  let stage: Stage
  /// The id of a notification that is a dead letter and an inbox item. The id is also a stream's
  /// position.
  let knownID: String

  init() throws {
    stage = try Stage.room()
    stage.reply = { .success($0.map { _ in .rejected(reason: "gone") }) }
    try stage.act("room.liked")
    knownID = try #require(try stage.inbox().items.first?.identifier)
  }

  /// Texts that resemble the known id. A lenient reader would accept them.
  private var similarTexts: [String] {
    let number = knownID.split(separator: "-")[1]
    let instance = knownID.split(separator: "-")[0]
    return [
      "", "-", "\(number)", "-\(number)", "\(instance)-+\(number)", "\(instance)--\(number)",
      "\(instance)-0\(number)", "\(instance)- \(number)", "\(knownID) ", " \(knownID)",
      "\(knownID)x",
      "\(instance)x-\(number)", "\(instance)-\(instance)-\(number)", "\(knownID)\u{301}",
      "\(instance)-\(UInt64.max)", "\(instance)-99999999999999999999999", "\(instance)\(number)",
    ]
  }

  private func isExplained(_ text: String) throws -> Bool {
    let answer = try stage.query(NotificationQuery(of: "amina", text))
    if case .found = answer { return true }
    return false
  }

  private func isWatched(_ text: String) throws -> Bool {
    if case .watching = try stage.watchAnswer(from: text) { true } else { false }
  }

  private func isDeadLetter(_ text: String, _ channel: Channel) throws -> Bool {
    let write = DeadLetterWrite(.resend, .one("\(text).\(channel.name)"))
    return try stage.ask { .deadLetterWrite(write, $0) } != nil
  }

  private func hasPage(after text: String, _ channel: Channel) throws -> Bool {
    let query = DeadLettersQuery(after: "\(text).\(channel.name)")
    return try !stage.query(query).letters.isEmpty
  }

  private func unreadCount() throws -> Int { try stage.inbox().counts.unread }

  @Test func `E5: every reader of ids accepts the same ids`() throws {
    let instance = try stage.instance()
    let letters = try stage.query(DeadLettersQuery()).letters
    let letter = try #require(letters.first)
    let channel = letter.delivery.channel
    let first = "\(instance)-\(letter.delivery.notification)"
    for text in similarTexts {
      #expect(try !isExplained(text), "\(text)")
      #expect(try !isWatched(text), "\(text)")
      #expect(try !isWatched("\(text)-\(channel.name)"), "\(text)")
      #expect(try !isWatched("\(text)-all"), "\(text)")
      #expect(try !isDeadLetter(text, channel), "\(text)")
      #expect(try !hasPage(after: text, channel), "\(text)")
      #expect(try stage.write(.read([text]))?.count == 0, "\(text)")
      // An event with an id that the event reader refuses changes nothing either.
      _ = try? stage.take("notification.opened", ["notification": .string(text)])
      #expect(try unreadCount() == 1, "\(text)")
      #expect(try stage.write(.dismiss(text))?.count == 0, "\(text)")
    }
    #expect(try isExplained(knownID))
    #expect(try isWatched(knownID) && isWatched("\(instance)-0-all"))
    #expect(try isWatched("\(knownID)-\(channel.name)"))
    #expect(try hasPage(after: "\(instance)-0", channel))
    #expect(try isDeadLetter(first, channel))
    #expect(try stage.write(.read([knownID]))?.count == 1)
    #expect(try stage.write(.dismiss(knownID))?.count == 1)
  }

  @Test func `D5: only a test notification's own id ends its observer`() throws {
    stage.reply = nil
    let parameters = TestParameters(channel: .push, title: "Hello", body: "A test.")
    let receipt = try #require(try stage.ask { .test("amina", parameters, { _ in }, $0) })
    try #require(try stage.core().outbox.testObservers.count == 1)
    let number = receipt.notification.split(separator: "-")[1]
    let instance = try stage.instance()
    for text in ["\(instance)-+\(number)", "\(instance)x\(number)", "xxxxxxxx-\(number)"] {
      try stage.turn([.forgetTest(text)])
      #expect(try stage.core().outbox.testObservers.count == 1, "\(text)")
    }
    try stage.turn([.forgetTest(receipt.notification)])
    #expect(try stage.core().outbox.testObservers.isEmpty)
  }
}
