import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Rule E5: a store whose hashes nearly all collide gives the same answers as any other.
@Suite struct CollisionProgramTests {
  @Test(arguments: Seeds.all)
  func `E5: identities with the same hash are distinguished`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let stores = [try TestedStore(width: 8), try TestedStore(width: 64)]
    for _ in 0..<60 {
      let step = Step(&random)
      let answers = try stores.map { try $0.perform(step) }
      #expect(answers[0] == answers[1], "seed \(seed): \(step)")
    }
    let contents = try stores.map { try $0.contents() }
    #expect(contents[0] == contents[1], "seed \(seed)")
    #expect(contents[0].count > 100)
  }
}

/// An operation on both stores.
private enum Step {
  case take([Event])
  case notify(person: String, text: String, isCommon: Bool, key: Int64)
  case erase(String)
  case reopen

  static let people = (0..<12).map { "person-\($0)" }

  init(_ random: inout SplitMix64) {
    let person = Self.people.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<9: self = .take(Self.events(&random))
    case 9..<17:
      let number = Int.random(in: 0..<400, using: &random)
      self = .notify(
        person: person, text: "text \(number)", isCommon: number % 3 > 0,
        key: Int64.random(in: 0..<1_000, using: &random))
    case 17..<19: self = .erase(person)
    default: self = .reopen
    }
  }

  /// Random events. Some exist already, and some of these have other content.
  private static func events(_ random: inout SplitMix64) -> [Event] {
    (0..<Int.random(in: 1...8, using: &random)).map { _ in
      let number = Int.random(in: 0..<300, using: &random)
      let isOther = Int.random(in: 0..<10, using: &random) == 0
      return Fixtures.event(
        "\(number)", source: "source \(number % 7)",
        recipient: people[(isOther ? number + 1 : number) % people.count], data: "\(number % 5)")
    }
  }
}

/// A store that is created from the same operations as another one.
private final class TestedStore {
  private let directory: TemporaryDirectory
  private let hash: IdentityHash
  private var store: SQLiteStore?

  /// - Parameter width: the number of bits of the hashes; fewer bits cause more collisions.
  init(width: Int) throws {
    directory = try TemporaryDirectory()
    hash = IdentityHash(width: width)
    try open()
  }

  private func open() throws {
    store = nil
    store = try SQLiteStore(directory: directory.path, identities: IdentityTests.pace, hash: hash)
  }

  private func requiredStore() throws -> SQLiteStore { try #require(store) }

  func perform(_ step: Step) throws -> String {
    switch step {
    case .take(let events): return try events.map(take).joined(separator: " ")
    case .notify(let person, let text, let isCommon, let key):
      guard let stored = try requiredStore().recipient(person) else { return "nobody" }
      let record = Fixtures.record(
        row: stored.row, key: key, title: text, body: person, isCommon: isCommon)
      return "\(try requiredStore().record(record) ?? 0)"
    case .erase(let person):
      guard let stored = try requiredStore().recipient(person) else { return "nobody" }
      try requiredStore().transaction { try $0.erase(stored, at: Fixtures.noon) }
      return "erased"
    case .reopen:
      try open()
      return "open"
    }
  }

  private func take(_ event: Event) throws -> String {
    let match = try requiredStore().match(event)
    if match.isNew { try requiredStore().take(event) }
    return match.isNew ? "new" : match.isSame ? "same" : "other"
  }

  /// Everything that the store returns, as lines.
  func contents() throws -> [String] {
    let store = try requiredStore()
    var lines = try store.deliveries(limit: 10_000).deliveries.map {
      "\($0.notification) to \($0.recipient): \($0.title), \($0.body)"
    }
    for number in 0..<300 {
      let event = Fixtures.event("\(number)", source: "source \(number % 7)", data: "never")
      let match = try store.match(event)
      lines.append(match.isNew ? "new" : match.isSame ? "same" : "other")
    }
    for name in Step.people + (0..<400).map({ "stranger \($0)" }) {
      let erasure = try store.transaction { try $0.erasures(of: [name])[name] }
      lines.append("\(name) erased \(erasure.map { "\($0)" } ?? "never")")
    }
    return lines
  }
}
