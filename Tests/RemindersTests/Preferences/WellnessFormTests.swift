import JSON
import Reminders
import Testing

/// The preferences in the JSON of the wellness app (rule P1).
@Suite struct WellnessFormTests {
  @Test func `P1: a new recipient's settings have the app's JSON`() throws {
    let document = try FormUser(FormFixtures.planner()).document(.wellness)
    let expected = """
      {"masterToggle":true,"preset":"balanced",
      "categories":{
      "dailyReminders":{
      "meals":{"enabled":true,
      "breakfast":{"enabled":true,"time":"08:00","skipWeekends":false},
      "lunch":{"enabled":true,"time":"12:30","skipWeekends":false},
      "dinner":{"enabled":true,"time":"18:30","skipWeekends":false},
      "snacks":{"enabled":false,"frequency":2}},
      "weight":{"enabled":true,"days":["mon"],"time":"07:00","persistence":"once"},
      "exercise":{"enabled":true,"time":"17:00","restDays":["sun"],"adaptToSchedule":false},
      "medication":{"enabled":true,"times":["08:00","20:00"],"refillAlert":7,"critical":true}},
      "progress":{
      "weekly":{"enabled":true,"day":"sun","time":"18:00"},
      "milestones":{"enabled":true,"immediate":true},
      "streaks":{"enabled":true,"threshold":3}},
      "education":{
      "newContent":{"enabled":true,"frequency":"immediate"},
      "tips":{"enabled":true,"time":"10:00","categories":["nutrition","sleep"]},
      "reminders":{"enabled":true,"incompleteLessons":true}},
      "clinical":{
      "appointments":{"enabled":true,"advance":[24,2],"includePrep":true},
      "messages":{"enabled":true,"priority":"all"},
      "labResults":{"enabled":true,"immediate":true}},
      "engagement":{
      "motivation":{"enabled":true,"frequency":"daily","personalized":true},
      "inactivity":{"enabled":true,"threshold":3,"escalation":false}}},
      "delivery":{
      "push":{"enabled":true,"sound":"default","vibration":true,"badges":true,"preview":"always"},
      "email":{"enabled":true,"frequency":"immediate","types":["SUMMARY","APPOINTMENTS"]},
      "sms":{"enabled":true,"criticalOnly":false,"number":null}},
      "schedule":{
      "quietHours":{"enabled":false,"start":"21:00","end":"08:00","allowCritical":true},
      "timezone":"Europe/Berlin",
      "vacation":{"mode":false,"until":null}}}
      """
    #expect(JSONValue.object(document).description == expected.replacing("\n", with: ""))
  }

  /// A member, a value for it, and the settings that it changes.
  private static let members: [(String, JSONValue, [String])] = [
    ("masterToggle", false, ["master"]),
    ("categories.dailyReminders.meals.enabled", false, ["reminders.meals.enabled"]),
    ("categories.dailyReminders.meals.breakfast.time", "07:15", ["reminders.breakfast.time"]),
    ("categories.dailyReminders.meals.lunch.enabled", false, ["reminders.lunch.enabled"]),
    (
      "categories.dailyReminders.meals.dinner.skipWeekends", true,
      ["reminders.dinner.skipWeekends"]
    ),
    ("categories.dailyReminders.meals.snacks.frequency", 4, ["reminders.snacks.frequency"]),
    ("categories.dailyReminders.weight.days", ["mon", "fri"], ["reminders.weight.days"]),
    ("categories.dailyReminders.weight.persistence", "snooze", ["reminders.weight.persistence"]),
    ("categories.dailyReminders.exercise.restDays", [], ["reminders.exercise.restDays"]),
    (
      "categories.dailyReminders.exercise.adaptToSchedule", true,
      ["reminders.exercise.adaptToSchedule"]
    ),
    (
      "categories.dailyReminders.medication.times", ["06:00", "14:00", "22:00"],
      ["reminders.medication.times"]
    ),
    ("categories.dailyReminders.medication.refillAlert", 3, ["reminders.medication.refillAlert"]),
    ("categories.progress.weekly.day", "wed", ["reminders.weekly.days"]),
    ("categories.progress.streaks.threshold", 5, ["reminders.streaks.threshold"]),
    ("categories.education.newContent.frequency", "weekly", ["reminders.newContent.frequency"]),
    ("categories.education.tips.categories", ["movement"], ["reminders.tips.categories"]),
    (
      "categories.education.reminders.incompleteLessons", false,
      ["reminders.lessons.incompleteLessons"]
    ),
    ("categories.clinical.appointments.advance", [48, 4], ["reminders.appointments.advance"]),
    ("categories.clinical.messages.priority", "urgent", ["reminders.messages.priority"]),
    ("categories.clinical.labResults.immediate", false, ["reminders.labResults.immediate"]),
    ("categories.engagement.motivation.frequency", "smart", ["reminders.encouragement.frequency"]),
    ("categories.engagement.inactivity.escalation", true, ["reminders.inactivity.escalation"]),
    ("delivery.push.enabled", false, ["channels.push"]),
    ("delivery.push.sound", "none", ["hints.sound"]),
    ("delivery.push.sound", "custom", ["hints.tone"]),
    ("delivery.push.vibration", false, ["hints.vibration"]),
    ("delivery.push.badges", false, ["hints.badge"]),
    ("delivery.push.preview", "unlocked", ["hints.preview"]),
    ("delivery.email.enabled", false, ["channels.email"]),
    ("delivery.email.frequency", "daily", ["email.frequency"]),
    (
      "delivery.email.types", ["SUMMARY", "LAB"],
      ["categories.APPOINTMENTS.email", "categories.LAB.email"]
    ),
    ("delivery.sms.enabled", false, ["channels.sms"]),
    ("delivery.sms.criticalOnly", true, ["sms.criticalOnly"]),
    ("delivery.sms.number", "+4915112345678", []),
    ("schedule.quietHours.enabled", true, ["quietHours.enabled"]),
    ("schedule.quietHours.start", "22:00", ["quietHours.start"]),
    ("schedule.quietHours.end", "06:00", ["quietHours.end"]),
    ("schedule.quietHours.allowCritical", false, ["quietHours.allowCritical"]),
    ("schedule.timezone", "Asia/Tokyo", []),
    ("schedule.vacation.mode", true, ["vacation.mode"]),
    ("schedule.vacation.until", "2026-03-10", ["vacation.until"]),
  ]

  @Test(arguments: members)
  func `P1: each member changes only its own settings`(
    member: String, value: JSONValue, settings: [String]
  ) throws {
    var user = try FormUser(FormFixtures.planner())
    let (original, wellness) = (try user.document(.own), try user.document(.wellness))
    var written = wellness
    written.set(value, at: member)
    try user.write(.object(written), as: .wellness)
    let computed: Set = ["preset", "quietHours.active"]
    #expect(
      try user.document(.own).differences(to: original).subtracting(computed) == Set(settings))
    #expect(
      try user.document(.wellness).differences(to: written).subtracting(computed).isEmpty)
  }

  @Test func `T4: a Windows name of a zone is shown as the zone that it means`() throws {
    var user = try FormUser(FormFixtures.planner())
    try user.write(["schedule": ["timezone": "Eastern Standard Time"]], as: .wellness)
    #expect(user.player.recipient.facts.zoneName == "America/New_York")
    #expect(try user.document(.wellness)["schedule"]?["timezone"] == "America/New_York")
  }

  @Test func `P1: zone and telephone number belong to the profile`() throws {
    var user = try FormUser(FormFixtures.planner())
    let write = try user.write(
      ["delivery": ["sms": ["number": "+81312345678"]], "schedule": ["timezone": "Asia/Tokyo"]],
      as: .wellness)
    #expect(write.settings.isEmpty)
    #expect(user.player.recipient.facts.profile(.phone) == "+81312345678")
    #expect(user.player.recipient.facts.zoneName == "Asia/Tokyo")
    try user.write(["delivery": ["sms": ["number": nil]]], as: .wellness)
    #expect(user.player.recipient.facts.profile(.phone) == nil)
    #expect(try user.document(.wellness).value(at: "delivery.sms.number") == .null)
  }

  @Test func `P1: the app's outer member may contain the whole document`() throws {
    var user = try FormUser(FormFixtures.planner())
    let wellness = try user.document(.wellness)
    let same: JSONValue = ["notificationSettings": .object(wellness)]
    #expect(try user.write(same, as: .wellness).isEmpty)
    try user.write(["notificationSettings": ["masterToggle": false]], as: .wellness)
    #expect(try user.document(.wellness)["masterToggle"] == false)
  }

  @Test(
    arguments: [
      (
        ["notificationSettings": ["delivery": ["push": ["sound": true]]]],
        "notificationSettings.delivery.push.sound must be one of default, custom, none"
      ),
      (["notificationSettings": 7], "notificationSettings must be an object; it is an integer"),
      (
        ["notificationSettings": [:], "masterToggle": true],
        "notificationSettings contains all preferences; remove the members beside it"
      ),
    ] as [(JSONValue, String)])
  func `H3: a refusal in the outer member names its path`(
    document: JSONValue, text: String
  ) throws {
    var user = try FormUser(FormFixtures.planner())
    let refusal = #expect(throws: Refusal.self) { try user.write(document, as: .wellness) }
    #expect(refusal?.description == text)
  }

  /// The app writes back the zone that it shows. That does not count as the recipient's report.
  @Test func `T4: writing back the default zone does not set it`() throws {
    var user = try FormUser(FormFixtures.planner())
    var document = try user.document(.wellness)
    document.set(false, at: "masterToggle")
    try user.write(.object(document), as: .wellness)
    #expect(user.player.recipient.facts.zoneName == nil)
  }

  @Test func `P1: the first of several days is shown, and writing it back keeps all days`() throws {
    var user = try FormUser(FormFixtures.planner())
    try user.write(["reminders": ["weekly": ["days": ["thu", "tue"]]]], as: .own)
    let wellness = try user.document(.wellness)
    #expect(wellness.value(at: "categories.progress.weekly.day") == "tue")
    #expect(try user.write(.object(wellness), as: .wellness).isEmpty)
    let days = try user.document(.own).value(at: "reminders.weekly.days")
    #expect(days == ["tue", "thu"])
  }

  @Test func `P1: e-mail types are the categories of this catalog alone`() throws {
    var user = try FormUser(FormFixtures.planner())
    let original = try user.document(.own)
    try user.write(["delivery": ["email": ["types": []]]], as: .wellness)
    #expect(
      try user.document(.own).differences(to: original)
        == ["preset", "categories.SUMMARY.email", "categories.APPOINTMENTS.email"])
  }

  @Test func `P4: a preset is applied before the document's changes`() throws {
    var user = try FormUser(FormFixtures.planner())
    var document = try user.document(.wellness)
    document.set("critical", at: "preset")
    document.set(true, at: "categories.dailyReminders.meals.snacks.enabled")
    try user.write(.object(document), as: .wellness)
    let wellness = try user.document(.wellness)
    #expect(wellness["preset"] == "custom")
    #expect(wellness.value(at: "categories.dailyReminders.meals.snacks.enabled") == true)
    #expect(wellness.value(at: "categories.dailyReminders.medication.enabled") == true)
    #expect(wellness.value(at: "categories.dailyReminders.meals.enabled") == false)
    #expect(wellness.value(at: "categories.dailyReminders.medication.times") == ["08:00", "20:00"])
  }

  @Test func `P4: a switch beside the current preset is applied`() throws {
    var user = try FormUser(FormFixtures.planner())
    var document = try user.document(.wellness)
    #expect(document["preset"] == "balanced")
    document.set(false, at: "categories.dailyReminders.meals.enabled")
    try user.write(.object(document), as: .wellness)
    #expect(try user.document(.wellness)["preset"] == "custom")
  }

  @Test(
    arguments: [
      (["masterTogle": true], "masterTogle is not a preference; did you mean \"masterToggle\"?"),
      (
        ["categories": ["dailyReminders": ["meals": ["brunch": ["enabled": true]]]]],
        "categories.dailyReminders.meals.brunch is not a preference; "
          + "did you mean \"categories.dailyReminders.meals.lunch\"?"
      ),
      (
        ["categories": ["progress": ["weekly": ["day": ["sun"]]]]],
        "categories.progress.weekly.day must be a day: mon, tue, wed, thu, fri, sat or sun"
      ),
      (
        ["categories": ["education": ["tips": ["categories": ["sleeping"]]]]],
        "categories.education.tips.categories must contain only nutrition, movement, sleep; "
          + "\"sleeping\" is not one of them; did you mean \"sleep\"?"
      ),
      (
        ["categories": ["education": ["tips": ["categories": [7]]]]],
        "categories.education.tips.categories must contain only texts; one of them is an integer"
      ),
      (
        ["delivery": ["push": ["sound": true]]],
        "delivery.push.sound must be one of default, custom, none"
      ),
      (
        ["delivery": ["email": ["types": ["SUMARY"]]]],
        "delivery.email.types must contain only SUMMARY, APPOINTMENTS, LAB; "
          + "\"SUMARY\" is not one of them; did you mean \"SUMMARY\"?"
      ),
      (
        ["delivery": ["sms": ["number": 112]]],
        "delivery.sms.number must be a text of 1 to 256 bytes without control characters"
      ),
      (
        ["schedule": ["timezone": "Europe/Pariss"]],
        "schedule.timezone is refused: \"Europe/Pariss\" is not a time zone of this system; "
          + "did you mean \"Europe/Paris\"?"
      ),
      (
        ["schedule": ["quietHours": ["start": "08:00"]]],
        "Start and end time cannot be the same"
      ),
      (
        ["preset": "balance"],
        "preset must be one of maximum, balanced, minimal, critical, custom; it is \"balance\"; "
          + "did you mean \"balanced\"?"
      ),
    ] as [(JSONValue, String)])
  func `H3: a refusal names the path and the fault`(document: JSONValue, text: String) throws {
    var user = try FormUser(FormFixtures.planner())
    let refusal = #expect(throws: Refusal.self) { try user.write(document, as: .wellness) }
    #expect(refusal?.description == text)
    #expect(user.player.recipient.facts == Facts())
  }
}
