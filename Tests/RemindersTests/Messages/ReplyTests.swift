import CivilTime
import Testing

@testable import Reminders

/// Rules D14 and D15: replies by text message.
@Suite struct ReplyTests {
  @Test(arguments: [
    ("STOP", Reply.Command.stop), (" Stop! ", .stop), ("stop all", .stop), ("Unsubscribe.", .stop),
    ("Stopp", .stop), ("إيقاف", .stop), ("START", .start), ("Help", .help), ("Hilfe?", .help),
  ])
  func `a command is recognized in any case, and with punctuation around it`(
    text: String, command: Reply.Command
  ) {
    #expect(Reply(text).command == command)
  }

  @Test(arguments: ["", "?", "please stop sending", "Stopover", "1", "yes", "I need help"])
  func `a sentence that contains the word of a command is no command`(text: String) {
    #expect(Reply(text).command == nil)
  }

  private let actions = [
    action("taken", ["en": "Taken", "de": "Genommen", "ar": "أخذتُه"], reports: "dose.taken"),
    action("skipped", ["en": "Not today"], reports: "dose.skipped"),
    NotificationAction(name: "later", titles: .snoozeDefault, effect: .snooze(.minutes(30))),
    action("done", ["en": "✅"], reports: "dose.done"),
  ]

  private static func action(
    _ name: String, _ titles: [String: String], reports type: String
  ) -> NotificationAction {
    let texts = titles.reduce(into: [LanguageTag: String]()) { texts, title in
      if let language = LanguageTag(title.key) { texts[language] = title.value }
    }
    return NotificationAction(
      name: name, titles: ActionTitles(language: .english, texts: texts),
      effect: .event(ActionEvent(type: type, fields: []), undo: nil))
  }

  @Test(arguments: [
    ("TAKEN", "taken"), ("genommen", "taken"), ("اخذته", "taken"), ("أخذته", "taken"),
    ("not  today", "skipped"), ("remind me later", "later"), ("✅ ", "done"),
  ])
  func `D15: an action is chosen by name or title`(text: String, name: String) {
    #expect(actions.filter(Reply(text).matches(_:)).map(\.name) == [name])
  }

  @Test(arguments: ["0", "no", "taken it", "", "?", "❌", "1 2", "أبدا"])
  func `D15: any other text chooses no action`(text: String) {
    #expect(!actions.contains(where: Reply(text).matches(_:)))
    #expect(!Reply(text).isYes && !Reply(text).isLater && Reply(text).command == nil)
  }

  @Test(arguments: [("1", 1), ("٢", 2), (" 3. ", 3), ("0", 0)])
  func `D15: a number is one digit of any script`(text: String, number: Int) {
    #expect(Reply(text).number == number)
  }

  @Test(arguments: ["12", "1 2", "", "x", "1a"])
  func `D15: any other text is no number`(text: String) {
    #expect(Reply(text).number == nil)
  }

  @Test(arguments: ["Yes", "نعم", "ok"])
  func `D15: a word of consent is recognized in several languages`(text: String) {
    #expect(Reply(text).isYes && !Reply(text).isLater)
  }

  @Test(arguments: ["später", "لاحقًا", "LATER"])
  func `D15: a request for a snooze is recognized in several languages`(text: String) {
    #expect(Reply(text).isLater && !Reply(text).isYes)
  }
}
