import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// A row is read as it was written. A damaged row may cause an error, but never a crash.
@Suite struct CodingPropertyTests {
  @Test(arguments: Seeds.all)
  func `a row is read as it was written`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<5 {
      _ = try Player.play(try Life(seed: random.next())) { player in
        let (facts, progress) = (player.recipient.facts, player.recipient.progress)
        let decoded = (try Self.facts(facts.encoded), try Self.progress(progress.encoded))
        #expect(decoded == (facts, progress), "seed \(seed)")
      }
    }
  }

  @Test(arguments: [Int64.min, -65, -64, -1, 0, 1, 63, 64, Int64.max])
  func `each number is read as it was written`(number: Int64) throws {
    var writer = ByteWriter()
    writer.signed(number)
    writer.unsigned(UInt64(bitPattern: number))
    writer.symbol(Symbol(code: .max))
    writer.text("Größe 🎂")
    let bytes = writer.bytes
    try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let decoded = (
        try reader.signed(), try reader.unsigned(), try reader.symbol(), try reader.text()
      )
      #expect(decoded == (number, UInt64(bitPattern: number), Symbol(code: .max), "Größe 🎂"))
      #expect(reader.isAtEnd)
    }
  }

  @Test(arguments: Seeds.all)
  func `V16: announced vacations are read as they were written`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-01 07:00"))
    for _ in 0..<14 {
      let from = LocalDate(daysSinceEpoch: random.int(in: 20_000..<40_000))
      var data: JSONObject = ["from": .string("\(from)")]
      data["until"] = .string("\(from + random.int(in: 0..<400))")
      try player.take("vacation.started", .object(data))
      data["until"] = nil
      if random.isOne(of: 3) { try player.take("vacation.ended", .object(data)) }
    }
    #expect(player.recipient.facts.vacations.count > 10)
    #expect(try Self.facts(player.recipient.facts.encoded) == player.recipient.facts)
  }

  @Test func `each truncated row is rejected`() throws {
    let (facts, progress) = try Self.rows(seed: 1)
    for count in facts.indices {
      #expect(throws: CodingFailure.self, "first \(count) bytes") {
        try Self.facts(Array(facts[..<count]))
      }
    }
    for count in progress.indices {
      #expect(throws: CodingFailure.self, "first \(count) bytes") {
        try Self.progress(Array(progress[..<count]))
      }
    }
  }

  @Test func `extra bytes after a row are rejected`() throws {
    let (facts, progress) = try Self.rows(seed: 1)
    #expect(throws: CodingFailure.self) { try Self.facts(facts + [0]) }
    #expect(throws: CodingFailure.self) { try Self.progress(progress + [0]) }
  }

  @Test func `a row of an unknown version is rejected with its number`() throws {
    let failure = #expect(throws: CodingFailure.self) { try Self.facts([9, 0, 0, 0, 0]) }
    #expect(failure == .version(9))
    #expect(failure?.description == "the row has the unknown version 9")
    #expect(throws: CodingFailure.version(9)) { try Self.progress([9, 0, 0, 0]) }
    #expect(throws: CodingFailure.truncated(offset: 0)) { try Self.facts([]) }
  }

  /// A damaged row may have any meaning, but it is either read or rejected. A row that was read can
  /// be written and read again.
  @Test(arguments: Seeds.all)
  func `a damaged row is read or rejected`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (facts, progress) = try Self.rows(seed: random.next())
    for _ in 0..<2_000 {
      try Self.expectReadable(Self.damaged(facts, &random), Self.damaged(progress, &random), seed)
      let bytes = (0..<Int.random(in: 0..<80, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      try Self.expectReadable([1] + bytes, [1] + bytes, seed)
    }
  }

  /// Expects that each row that can be read can be written and read again.
  private static func expectReadable(
    _ facts: [UInt8], _ progress: [UInt8], _ seed: UInt64
  ) throws {
    if let facts = try? Self.facts(facts) {
      #expect(try Self.facts(facts.encoded) == facts, "seed \(seed)")
    }
    if let progress = try? Self.progress(progress) {
      #expect(try Self.progress(progress.encoded) == progress, "seed \(seed)")
    }
  }

  /// Returns a row in which a few bytes have random values.
  private static func damaged(_ row: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = row
    for _ in 0..<Int.random(in: 1..<4, using: &random) {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      bytes[index] = UInt8.random(in: 0...255, using: &random)
    }
    return bytes
  }

  private static func rows(seed: UInt64) throws -> (facts: [UInt8], progress: [UInt8]) {
    let recipient = try Player.play(try Life(seed: seed)).recipient
    return (recipient.facts.encoded, recipient.progress.encoded)
  }

  private static func facts(_ bytes: [UInt8]) throws -> Facts {
    try bytes.withUnsafeBytes { try Facts(decoding: $0) }
  }

  private static func progress(_ bytes: [UInt8]) throws -> Progress {
    try bytes.withUnsafeBytes { try Progress(decoding: $0) }
  }
}
