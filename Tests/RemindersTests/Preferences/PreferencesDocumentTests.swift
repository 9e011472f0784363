import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// The service's own document (rules P1, P3, P7): a document that was read can be written back.
@Suite struct PreferencesDocumentTests {
  @Test func `P1: a new recipient's document has every member in order`() throws {
    let document = try FormUser(Fixtures.planner()).document(.own)
    let expected = """
      {"master":true,"preset":"balanced",
      "channels":{"push":true,"email":true,"sms":true,"inapp":true},
      "categories":{"CHECKIN":{"push":true},"LESSON":{"push":true},"RECOVERY":{"push":true},
      "MILESTONE":{"push":true},"MOTIVATION":{"push":true},"SUMMARY":{"push":true}},
      "reminders":{"checkin":{"enabled":true,"time":"21:00"},
      "lesson":{"enabled":true,"time":"08:00"},"milestone":{"enabled":true},
      "motivation":{"enabled":false,"time":"06:00"},
      "summary":{"enabled":false,"days":["sun"],"time":"18:00"}},
      "quietHours":{"enabled":false,"start":"21:00","end":"08:00",
      "days":["mon","tue","wed","thu","fri","sat","sun"],"allowCritical":true,"windows":[],
      "active":false},
      "vacation":{"mode":false,"until":null,"announced":{}},"dayStart":"08:00",
      "calendar":{"skipWeekends":false,"skipHolidays":false,"weekend":["sat","sun"]},
      "caps":{"perDay":null,"minInterval":null},"bundling":{"threshold":3},
      "hints":{"sound":true,"tone":"default","vibration":true,"badge":true,"preview":"always",
      "badgeCounts":"unread","discreet":true},
      "email":{"frequency":"immediate","time":"08:00","day":"mon"},
      "sms":{"criticalOnly":false}}
      """
    #expect(JSONValue.object(document).description == expected.replacing("\n", with: ""))
  }

  @Test func `P1: every setting is in the document`() throws {
    let planner = try FormFixtures.planner()
    let leaves = try FormUser(planner).document(.own).leaves
    let paths = planner.catalog.settings.definitions.map(\.path)
    #expect(
      Set(leaves.keys) == Set(paths).union(["preset", "quietHours.active", "quietHours.windows"]))
  }

  @Test func `P1: the document of the specification is accepted`() throws {
    var user = try FormUser(Fixtures.planner())
    try user.write(
      [
        "master": true, "channels": ["push": true],
        "categories": ["LESSON": ["push": true]],
        "reminders": [
          "checkin": ["enabled": true, "time": "21:00"],
          "lesson": ["enabled": true, "time": "08:00"], "milestone": ["enabled": true],
        ],
        "quietHours": [
          "enabled": true, "start": "22:00", "end": "06:00", "days": ["sat", "sun"],
          "allowCritical": true,
        ],
        "vacation": ["mode": true, "until": "2026-03-10"],
        "caps": ["perDay": 10, "minInterval": "PT15M"], "bundling": ["threshold": 3],
      ], as: .own)
    let document = try user.document(.own)
    #expect(document["vacation"] == ["mode": true, "until": "2026-03-10", "announced": [:]])
    #expect(document["caps"] == ["perDay": 10, "minInterval": "PT15M"])
    #expect(document.value(at: "quietHours.days") == ["sat", "sun"])
  }

  /// The quiet hours last from 21:00 to 08:00 in Berlin, which is one hour ahead of UTC.
  @Test(arguments: [
    ("2026-03-02 19:59", false), ("2026-03-02 20:00", true), ("2026-03-03 06:59", true),
    ("2026-03-03 07:00", false),
  ])
  func `P7: quietHours.active is computed from the current time`(now: String, isQuiet: Bool) throws
  {
    var user = try FormUser(FormFixtures.planner())
    try user.write(["quietHours": ["enabled": true]], as: .own)
    let form = try PreferencesForm(.own, catalog: user.player.planner.catalog)
    let document = form.document(of: user.context, now: try utc(now))
    #expect(document.value(at: "quietHours.active") == .bool(isQuiet))
  }

  @Test func `P7: writing a computed member changes nothing`() throws {
    var user = try FormUser(FormFixtures.planner())
    let write = try user.write(["quietHours": ["active": true]], as: .own)
    #expect(write.isEmpty)
    let refusal = #expect(throws: Refusal.self) {
      try user.write(["quietHours": ["active": 1]], as: .own)
    }
    #expect(refusal?.description == "quietHours.active must be true or false; it is an integer")
  }

  @Test func `P7: a quiet window without a length is refused`() throws {
    var user = try FormUser(FormFixtures.planner())
    let refusal = #expect(throws: Refusal.self) {
      try user.write(["quietHours": ["start": "08:00"]], as: .own)
    }
    #expect(
      refusal?.description == "quietHours is refused: Start and end time cannot be the same")
  }

  @Test func `P3: a locked category is on and stays on`() throws {
    var user = try FormUser(FormFixtures.planner())
    let before = try user.document(.own)
    #expect(before.value(at: "categories.OTP.sms") == true)
    let refusal = #expect(throws: Refusal.self) {
      try user.write(["categories": ["OTP": ["sms": false]], "master": false], as: .own)
    }
    #expect(
      refusal?.description
        == "categories.OTP.sms cannot be switched off: it is locked and always on")
    #expect(refusal?.kind == .unacceptable)
    #expect(try user.write(["categories": ["OTP": ["sms": true]]], as: .own).isEmpty)
    #expect(try user.document(.own) == before)
  }

  @Test func `P3: a switch that was stored before the lock has no effect`() throws {
    let text = Fixtures.noteCatalog()
    var player = Player(
      planner: try Fixtures.planner(catalog: text), now: try utc("2026-03-02 12:00"))
    try player.take("preferences.updated", ["categories": ["NOTE": ["push": false]]])
    #expect(player.nextDue == nil)
    let locked = text.replacing("urgency: normal", with: "urgency: normal, locked: true")
    player.change(to: try Fixtures.planner(catalog: locked))
    #expect(player.nextDue != nil)
  }

  @Test(arguments: Seeds.all)
  func `P5: a document that is written back as it was read changes no fact`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try FormFixtures.planner()
    for _ in 0..<20 {
      var person = try RandomPreferences.person(planner, &random)
      let facts = person.player.recipient.facts
      person.player.advance(to: person.player.now + .hours(1))
      for form in PreferencesForm.Name.allCases {
        let write = try person.write(.object(try person.document(form)), as: form)
        #expect(write.isEmpty, "seed \(seed): \(form) \(write)")
      }
      #expect(person.player.recipient.facts == facts, "seed \(seed)")
    }
  }

  @Test func `P5: of a whole document, only the members that differ are changes`() throws {
    var user = try FormUser(Fixtures.planner())
    var document = try user.document(.own)
    document.set("07:00", at: "reminders.lesson.time")
    let write = try user.write(.object(document), as: .own)
    #expect(
      write.settings == [SettingChange(path: Symbol("reminders.lesson.time"), value: 7 * 60)])
    // In a partial document each member is a change, so that it keeps its value if the catalog's
    // default changes.
    let partial = try user.write(["reminders": ["checkin": ["time": "21:00"]]], as: .own)
    #expect(
      partial.settings == [SettingChange(path: Symbol("reminders.checkin.time"), value: 21 * 60)])
  }

  @Test(arguments: [false, true])
  func `V16: vacations that are written back as they were read do not change`(isWhole: Bool) throws
  {
    var user = try FormUser(Fixtures.planner())
    try user.player.take("vacation.started", ["from": "2026-03-03", "until": "2026-03-10"])
    try user.player.take("vacation.started", ["from": "2026-03-04", "until": "2026-03-12"])
    try user.player.take("vacation.started", ["from": "2026-03-20", "until": "2026-03-21"])
    user.player.advance(to: try utc("2026-03-03 12:00"))
    try user.player.take("vacation.ended")
    user.player.advance(to: try utc("2026-03-04 12:00"))
    try user.player.take("vacation.started", ["until": "2026-03-11"])
    user.player.advance(to: try utc("2026-03-05 12:00"))
    let (facts, document) = (user.player.recipient.facts, try user.document(.own))
    let vacation: JSONValue = [
      "mode": true, "until": "2026-03-11",
      "announced": ["2026-03-04": "2026-03-12", "2026-03-20": "2026-03-21"],
    ]
    #expect(document["vacation"] == vacation)
    let write = try user.write(
      isWhole ? .object(document) : ["vacation": vacation], as: .own)
    #expect(write.isEmpty)
    #expect(user.player.recipient.facts == facts)
    // The end of the current vacation cancels no announced one.
    let end = try user.write(["vacation": ["mode": false]], as: .own)
    #expect(end.settings.count == 1)
    #expect(
      try user.document(.own).value(at: "vacation.announced")
        == ["2026-03-04": "2026-03-12", "2026-03-20": "2026-03-21"])
  }

  @Test(arguments: Seeds.all)
  func `P1: a document that another recipient writes is read unchanged`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try FormFixtures.planner()
    for _ in 0..<20 {
      let person = try RandomPreferences.person(planner, &random)
      let document = try person.document(.own)
      var other = try RandomPreferences.person(planner, &random)
      try other.write(["custom": nil], as: .own)
      try other.cancelVacations()
      try other.write(.object(document), as: .own)
      #expect(try other.document(.own) == document, "seed \(seed)")
    }
  }
}
