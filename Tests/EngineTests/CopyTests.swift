import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

@testable import Engine

/// Rule G5: a recipient that an event names gets a copy in the transaction that ingests the event.
@Suite struct CopyTests {
  private let stage: Stage

  init() throws {
    stage = try Stage(catalog: Fixtures.visits, at: "2026-03-02 09:00")
  }

  private func book(_ visit: String, id: String) throws -> Receipt {
    try stage.take(
      "booked", ["visit": .string(visit), "at": "2026-03-02T10:00:00Z", "carer": "carla"], id: id)
  }

  @Test func `G5: a named carer has pending occurrences from a patient's event`() throws {
    #expect(try book("1", id: "a").word == "accepted")
    #expect(try stage.status().recipients == 2)
    #expect(try stage.agenda(of: "carla")?.entries.count == 1)
    #expect(try stage.agenda()?.entries.count == 0)
    try stage.crash()
    #expect(try stage.agenda(of: "carla")?.entries.count == 1)
    try stage.take("begun", ["visit": "1", "carer": "carla"])
    #expect(try stage.agenda(of: "carla")?.entries.count == 0)
  }

  @Test func `G5: a duplicate event creates no second copy`() throws {
    #expect(try book("1", id: "a").word == "accepted")
    try stage.take("recipient.deleted", of: "carla")
    #expect(try book("1", id: "a").word == "duplicate")
    #expect(try stage.agenda(of: "carla") == nil)
  }

  @Test func `G5: an event older than the carer's erasure creates no copy`() throws {
    let bookingTime = stage.now
    try stage.take("recipient.updated", ["name": "Carla"], of: "carla")
    try stage.run(to: bookingTime + .minutes(10))
    try stage.take("recipient.deleted", of: "carla")
    let receipt = try stage.take(
      "booked", ["visit": "1", "at": "2026-03-02T10:00:00Z", "carer": "carla"], at: bookingTime)
    #expect(receipt.word == "accepted")
    #expect(try stage.agenda(of: "carla") == nil)
  }

  /// The app's clock is ahead, and the write counts from the patient's latest setting.
  @Test func `G5: a write after a setting of a fast clock still reaches the carer`() throws {
    let latest = stage.now + .minutes(5)
    try stage.take("preferences.updated", ["master": true], at: latest)
    let event = try Fixtures.event(
      "w", "booked", of: "amina", at: stage.now,
      ["visit": "1", "at": "2026-03-02T10:00:00Z", "carer": "carla"], planner: stage.planner)
    #expect(event.notBefore(latest).copies.map(\.time) == [latest])
    let answer = AnswerBox<WriteReceipt>()
    try stage.turn([.write(Write(events: [event]), answer.take)])
    #expect(try stage.agenda(of: "carla")?.entries.count == 1)
  }

  // MARK: - Other carers

  /// Books a visit at 10:00 plus `number` times 15 minutes. If `carer` is nil, the event names no
  /// carer. Returns the receipt as text.
  private func rebook(
    _ number: Int, carer: String?, visit: String = "1", at time: Instant? = nil
  ) throws -> String {
    let visitTime = try utc("2026-03-02 10:00") + .minutes(15 * number)
    var data: JSONObject = ["visit": .string(visit), "at": .string(visitTime.description)]
    data["carer"] = carer.map { .string($0) }
    return try stage.take("booked", .object(data), at: time, id: "booking-\(number)").word
  }

  private func pendingCount(of recipient: String) throws -> Int {
    try stage.agenda(of: recipient)?.entries.count ?? 0
  }

  private var deliveryTexts: [String] {
    stage.delivered.map { "\($0.at.description.dropFirst(11).prefix(5)) \($0.recipient)" }
  }

  @Test func `G5: a booking that names another carer takes the reminder from the previous carer`()
    throws
  {
    #expect(try rebook(0, carer: "carla") == "accepted")
    #expect(try pendingCount(of: "carla") == 1)
    try stage.crash()
    #expect(try rebook(1, carer: "dora") == "accepted")
    #expect(try rebook(1, carer: "dora") == "duplicate")
    #expect(try pendingCount(of: "carla") == 0)
    #expect(try pendingCount(of: "dora") == 1)
    try stage.crash()
    try stage.run(to: "2026-03-02 12:00")
    #expect(deliveryTexts == ["10:45 dora"])
  }

  @Test(arguments: [nil, "amina"])
  func `G5: a booking without a carer, or of the patient alone, withdraws the carer's reminder`(
    carer: String?
  ) throws {
    #expect(try rebook(0, carer: "carla") == "accepted")
    #expect(try rebook(1, carer: carer) == "accepted")
    try stage.run(to: "2026-03-02 12:00")
    #expect(deliveryTexts.isEmpty)
  }

  @Test func `G5: a carer who is named again has the reminder again`() throws {
    for (number, carer) in ["carla", "dora", "carla"].enumerated() {
      #expect(try rebook(number, carer: carer) == "accepted")
    }
    try stage.run(to: "2026-03-02 12:00")
    #expect(deliveryTexts == ["11:00 carla"])
  }

  @Test func `G5: another booking of the same carer is not withdrawn`() throws {
    #expect(try rebook(0, carer: "carla", visit: "1") == "accepted")
    #expect(try rebook(1, carer: "carla", visit: "2") == "accepted")
    #expect(try rebook(2, carer: "dora", visit: "1") == "accepted")
    try stage.run(to: "2026-03-02 12:00")
    #expect(deliveryTexts == ["10:45 carla", "11:00 dora"])
  }

  /// The result is the same for each order of arrival, with a crash after each booking.
  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `G5: an older booking that arrives late gives its carer no reminder`(order: [Int]) throws {
    let (start, carers) = (stage.now, ["carla", "dora", "edda"])
    for number in order {
      let time = start - .minutes(10 - number)
      #expect(try rebook(number, carer: carers[number], at: time) == "accepted")
      try stage.crash()
    }
    #expect(try carers.map { try pendingCount(of: $0) } == [0, 0, 1])
    for number in order {
      #expect(
        try rebook(number, carer: carers[number], at: start - .minutes(10 - number))
          == "duplicate")
    }
    try stage.run(to: "2026-03-02 12:00")
    #expect(deliveryTexts == ["11:00 edda"])
  }

  @Test func `G5: after two bookings in one request only the last carer has the reminder`() throws {
    let events = try ["carla", "dora"].enumerated().map { number, carer in
      try Fixtures.event(
        "\(number)", "booked", of: "amina", at: stage.now,
        ["visit": "1", "at": "2026-03-02T10:00:00Z", "carer": .string(carer)],
        planner: stage.planner)
    }
    #expect(try stage.submit(events).map(\.word) == ["accepted", "accepted"])
    try stage.run(to: "2026-03-02 12:00")
    #expect(deliveryTexts == ["10:30 dora"])
  }

  /// The visit began for one carer before it was booked for another one, in the same millisecond.
  @Test func `G10: an earlier report with the same time does not cancel a later booking`() throws {
    #expect(try stage.take("begun", ["visit": "1", "carer": "carla"]).word == "accepted")
    #expect(try rebook(0, carer: "dora") == "accepted")
    #expect(try pendingCount(of: "dora") == 1)
    try stage.crash()
    try stage.run(to: "2026-03-02 12:00")
    #expect(deliveryTexts == ["10:30 dora"])
  }

  @Test func `H4: a withdrawal does not bring back a carer who was erased`() throws {
    #expect(try rebook(0, carer: "carla") == "accepted")
    try stage.run(to: stage.now + .minutes(1))
    try stage.take("recipient.deleted", of: "carla")
    try stage.run(to: stage.now + .minutes(1))
    #expect(try rebook(1, carer: "dora") == "accepted")
    #expect(try stage.agenda(of: "carla") == nil)
    #expect(try stage.status().recipients == 2)
  }

  /// The service ingests random events one by one. The simulation gets all of them at once.
  @Test(arguments: Seeds.all)
  func `L1: the service and a simulation withdraw the same reminders`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var events: [Event] = []
    for number in 0..<40 {
      let time = stage.now + .minutes(10 * number)
      let visitTime = time + .minutes(random.int(in: 0..<120))
      var data: JSONObject = [
        "visit": .string("\(random.int(in: 0..<4))"), "at": .string(visitTime.description),
      ]
      let carer = random.int(in: 0..<4)
      if carer > 0 { data["carer"] = .string("r\(carer)") }
      let event = try Fixtures.event(
        "\(number)", "booked", of: "r\(random.int(in: 0..<3))", at: time, .object(data),
        planner: stage.planner)
      events.append(event)
      try stage.run(to: time)
      #expect(try stage.submit([event]).map(\.word) == ["accepted"])
      if random.int(in: 0..<4) == 0 { try stage.crash() }
    }
    let end = stage.now + .days(1)
    try stage.run(to: end)
    let expected = try simulatedTimeline(events, stage.planner, until: end)
    #expect(!expected.isEmpty)
    #expect(try stage.timeline == expected, "seed \(seed)")
  }
}
