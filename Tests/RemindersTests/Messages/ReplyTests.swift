import CivilTime
import Testing

@testable import Reminders

/// Rule D14: replies by text message.
@Suite struct ReplyTests {
  @Test(arguments: [
    ("STOP", Reply.Command.stop), (" Stop! ", .stop), ("stop all", .stop), ("Unsubscribe.", .stop),
    ("Stopp", .stop), ("إيقاف", .stop), ("START", .start), ("Help", .help), ("Hilfe?", .help),
  ])
  func `a command is recognized in any case and with signs around it`(
    text: String, command: Reply.Command
  ) {
    #expect(Reply(text).command == command)
  }

  @Test(arguments: ["", "?", "please stop sending", "Stopover", "1", "yes", "I need help"])
  func `a sentence that contains a command is none`(text: String) {
    #expect(Reply(text).command == nil)
  }

  private let actions = [
    action("taken", ["en": "Taken", "de": "Genommen", "ar": "أخذتُه"], reports: "dose.taken"),
    action("skipped", ["en": "Not today"], reports: "dose.skipped"),
    NotificationAction(name: "later", titles: .later, effect: .snooze(.minutes(30))),
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
    ("1", "taken"), ("٢", "skipped"), ("3.", "later"), ("TAKEN", "taken"), ("genommen", "taken"),
    ("اخذته", "taken"), ("أخذته", "taken"), ("not  today", "skipped"), ("Yes", "taken"),
    ("نعم", "taken"), ("später", "later"), ("لاحقًا", "later"), ("remind me later", "later"),
  ])
  func `an action is chosen by number, name, title, yes or later`(text: String, name: String) {
    #expect(Reply(text).action(among: actions)?.name == name)
  }

  @Test(arguments: ["0", "4", "12", "no", "taken it", "", "1 2"])
  func `another text chooses nothing`(text: String) {
    #expect(Reply(text).action(among: actions) == nil)
  }

  @Test func `yes is no answer where the first action is none`() {
    #expect(Reply("yes").action(among: actions.reversed()) == nil)
    #expect(Reply("yes").action(among: []) == nil)
  }
}
