import CivilTime
import JSON
import Reminders
import Testing

/// The preferences in the JSON of the UrbanNest app (rules P1, P3, P6, P7).
@Suite struct UrbannestFormTests {
  @Test func `P6: a new customer has the app's defaults in its JSON`() throws {
    let document = try FormUser(FormFixtures.planner()).document(.urbannest)
    #expect(
      JSONWriter.prettyPrinted(.object(document)) == """
        {
          "push": {
            "enabled": true,
            "bookingUpdates": true,
            "paymentNotifications": true,
            "promotions": false,
            "serviceReminders": true,
            "providerUpdates": true,
            "reviewReminders": true
          },
          "email": {
            "enabled": true,
            "bookingConfirmations": true,
            "invoices": true,
            "weeklySummary": true,
            "promotions": false,
            "newsletter": false
          },
          "sms": {
            "enabled": true,
            "bookingConfirmations": true,
            "serviceReminders": true,
            "paymentUpdates": true
          },
          "dnd": {
            "enabled": false,
            "startTime": "21:00",
            "endTime": "08:00"
          },
          "inApp": {
            "sound": true,
            "vibration": true,
            "badgeCount": true
          }
        }
        """)
  }

  private static let members: [(String, [String])] = [
    ("push.enabled", ["channels.push"]),
    (
      "push.bookingUpdates",
      ["categories.BOOKING_UPDATES.push", "categories.BOOKING_CANCELLATIONS.push"]
    ),
    ("push.paymentNotifications", ["categories.PAYMENTS.push"]),
    ("push.promotions", ["categories.PROMOTIONS.push"]),
    ("push.serviceReminders", ["categories.SERVICE_REMINDERS.push"]),
    ("push.providerUpdates", ["categories.PROVIDER_UPDATES.push"]),
    ("push.reviewReminders", ["categories.REVIEWS.push"]),
    ("email.enabled", ["channels.email"]),
    (
      "email.bookingConfirmations",
      ["categories.BOOKING_CONFIRMATIONS.email", "categories.BOOKING_CANCELLATIONS.email"]
    ),
    ("email.invoices", ["categories.INVOICES.email"]),
    ("email.weeklySummary", ["categories.WEEKLY_SUMMARY.email"]),
    ("email.promotions", ["categories.PROMOTIONS.email"]),
    ("email.newsletter", ["categories.NEWSLETTER.email"]),
    ("sms.enabled", ["channels.sms"]),
    (
      "sms.bookingConfirmations",
      ["categories.BOOKING_CONFIRMATIONS.sms", "categories.BOOKING_CANCELLATIONS.sms"]
    ),
    ("sms.serviceReminders", ["categories.SERVICE_REMINDERS.sms"]),
    ("sms.paymentUpdates", ["categories.PAYMENTS.sms"]),
    ("dnd.enabled", ["quietHours.enabled"]),
    ("inApp.sound", ["hints.sound"]),
    ("inApp.vibration", ["hints.vibration"]),
    ("inApp.badgeCount", ["hints.badge"]),
  ]

  @Test(arguments: members)
  func `P1: each switch changes only its own settings`(member: String, settings: [String]) throws {
    var user = try FormUser(FormFixtures.planner())
    let (original, shown) = (try user.document(.own), try user.document(.urbannest))
    let isOn = try #require(shown.value(at: member)?.boolValue as Bool?)
    // A member that is written with its shown value is not a change.
    var written = shown
    written.set(.bool(!isOn), at: member)
    try user.write(.object(written), as: .urbannest)
    #expect(try user.document(.urbannest) == written)
    let changed = try user.document(.own).differences(to: original).subtracting(["preset"])
    #expect(changed.isSuperset(of: settings.filter { original.value(at: $0) == .bool(isOn) }))
    #expect(changed.isSubset(of: settings))
    try user.write(.object(shown), as: .urbannest)
    #expect(try user.document(.urbannest) == shown)
  }

  @Test func `P1: writing the shown document changes nothing`() throws {
    var user = try FormUser(FormFixtures.planner())
    try user.write(["quietHours": ["days": ["sat"]], "hints": ["tone": "custom"]], as: .own)
    let original = try user.document(.own)
    let write = try user.write(.object(user.document(.urbannest)), as: .urbannest)
    #expect(write.isEmpty)
    #expect(try user.document(.own) == original)
  }

  @Test func `P1: a write may omit any member`() throws {
    var user = try FormUser(FormFixtures.planner())
    #expect(try user.write([:], as: .urbannest).isEmpty)
    #expect(try user.write(["push": [:]], as: .urbannest).isEmpty)
    let write = try user.write(["email": ["newsletter": true]], as: .urbannest)
    #expect(
      write.settings == [SettingChange(path: Symbol("categories.NEWSLETTER.email"), value: 1)])
  }

  @Test func `P2: a channel's switch keeps the switches below it`() throws {
    var user = try FormUser(FormFixtures.planner())
    try user.write(["push": ["promotions": true, "reviewReminders": false]], as: .urbannest)
    let before = try user.document(.urbannest)
    try user.write(["push": ["enabled": false]], as: .urbannest)
    #expect(try user.document(.urbannest).differences(to: before) == ["push.enabled"])
    try user.write(["push": ["enabled": true]], as: .urbannest)
    #expect(try user.document(.urbannest) == before)
  }

  @Test func `P2: switching sound off keeps the chosen sound`() throws {
    var user = try FormUser(FormFixtures.planner())
    try user.write(["delivery": ["push": ["sound": "custom"]]], as: .wellness)
    try user.write(["inApp": ["sound": false]], as: .urbannest)
    #expect(try user.document(.wellness).value(at: "delivery.push.sound") == "none")
    try user.write(["inApp": ["sound": true]], as: .urbannest)
    #expect(try user.document(.wellness).value(at: "delivery.push.sound") == "custom")
  }

  @Test func `P7: a quiet window may wrap midnight`() throws {
    var user = try FormUser(FormFixtures.planner())
    let hours: JSONValue = ["enabled": true, "startTime": "22:30", "endTime": "06:15"]
    try user.write(["dnd": hours], as: .urbannest)
    #expect(try user.document(.urbannest)["dnd"] == hours)
    #expect(user.context.settings.quietHours.start.description == "22:30")
  }

  /// The app's screen does not show the days of quiet hours, so a write by the app keeps the days.
  @Test func `P7: a write without the days of quiet hours keeps the days`() throws {
    var user = try FormUser(FormFixtures.planner())
    try user.write(["quietHours": ["days": ["sat"]]], as: .own)
    try user.write(["dnd": ["startTime": "21:00", "endTime": "07:00"]], as: .urbannest)
    #expect(user.context.settings.quietHours.days == 0b010_0000)
    try user.write(["quietHours": ["start": "20:00", "end": "06:00"]], as: .own)
    #expect(user.context.settings.quietHours.days == 0b010_0000)
    #expect(user.context.settings.quietHours.start.description == "20:00")
  }

  @Test(
    arguments: [
      ["dnd": ["startTime": "21:00", "endTime": "21:00"]],
      ["dnd": ["enabled": false, "startTime": "07:30", "endTime": "07:30"]],
      ["dnd": ["startTime": "08:00"]], ["dnd": ["endTime": "21:00"]],
    ] as [JSONValue])
  func `P7: equal times are refused with the exact message`(document: JSONValue) throws {
    var user = try FormUser(FormFixtures.planner())
    let refusal = #expect(throws: Refusal.self) { try user.write(document, as: .urbannest) }
    #expect(refusal?.description == "Start and end time cannot be the same")
    #expect(user.player.recipient.facts == Facts())
  }

  @Test(
    arguments: [
      (["pus": [:]], "pus is not a preference; did you mean \"push\"?"),
      (
        ["push": ["promotion": true]],
        "push.promotion is not a preference; did you mean \"push.promotions\"?"
      ),
      (["sms": ["otp": false]], "sms.otp is not a preference"),
      (["push": true], "push must be an object; it is a boolean"),
      (
        ["push.enabled": true],
        "push.enabled is not a preference; write its parts as nested objects"
      ),
      (["push": ["enabled": "yes"]], "push.enabled must be true or false; it is a string"),
      (["inApp": ["sound": "none"]], "inApp.sound must be true or false; it is a string"),
      (
        ["dnd": ["startTime": "9 PM"]],
        "dnd.startTime must be a time of day from \"00:00\" to \"23:59\"; it is \"9 PM\""
      ),
      (
        ["dnd": ["endTime": nil]], "dnd.endTime must be a time of day such as \"21:00\"; it is null"
      ),
      (["master": false], "master is not a preference"),
    ] as [(JSONValue, String)])
  func `H3: a refusal names the path and the fault`(document: JSONValue, text: String) throws {
    var user = try FormUser(FormFixtures.planner())
    let refusal = #expect(throws: Refusal.self) { try user.write(document, as: .urbannest) }
    #expect(refusal?.description == text)
    #expect(user.player.recipient.facts == Facts())
  }

  @Test func `P1: the form is unavailable without its catalog`() throws {
    let catalog = try Fixtures.planner().catalog
    let error = #expect(throws: FormUnavailable.self) {
      try PreferencesForm(.urbannest, catalog: catalog)
    }
    #expect(
      error?.description == "this form of the preferences needs the catalog \"urbannest\", "
        + "which is not loaded; add it to the catalogs in the configuration")
  }

  @Test func `P1: a setting that the catalog lacks is named`() throws {
    let source = try FormFixtures.shipped("urbannest.yaml")
    let text = source.text.replacing("NEWSLETTER:", with: "LETTER:")
    let catalog = try Fixtures.read(text)
    let error = #expect(throws: FormUnavailable.self) {
      try PreferencesForm(.urbannest, catalog: catalog)
    }
    #expect(
      error?.description == "this form of the preferences needs the setting "
        + "\"categories.NEWSLETTER.email\" for \"email.newsletter\", "
        + "which the catalog \"urbannest\" does not declare")
  }
}
