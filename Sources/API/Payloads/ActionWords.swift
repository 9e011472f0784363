import CivilTime
import Reminders

/// The words of the pages of actions: in the recipient's language if it is German or Arabic,
/// otherwise in English.
struct ActionWords: Sendable {
  /// The texts; in each of them, a # stands for a value.
  private let text: [Key: String]
  private let language: String

  /// The texts of the pages that ask for, confirm or undo an action.
  private enum Key {
    case answer, recorded, snooze, snoozed, settings, changed, choose, choice, undo, undoes, undone
    case minutes, hours, days
  }

  init(_ locale: String?) {
    let tag = locale.flatMap { LanguageTag($0) }
    (language, text) =
      tag?.lookup { tag in Self.all[tag.description].map { (tag.description, $0) } }
      ?? ("en", Self.english)
  }

  private func page(
    _ heading: String, _ text: String, _ buttons: [LinkPage.Button] = []
  ) -> LinkPage {
    LinkPage(
      heading: heading, text: text, buttons: buttons, language: language,
      isRightToLeft: language == "ar")
  }

  /// Returns a text with the value in place of its #.
  private func words(_ key: Key, _ value: String = "") -> String {
    (text[key] ?? "").replacing("#", with: value)
  }

  /// The page that says what an action will do.
  func question(_ action: NotificationAction, in locale: String?) -> LinkPage {
    let title = action.titles.title(in: locale)
    let effect =
      switch action.effect {
      case .event: words(.answer, title)
      case .snooze(let span): words(.snooze, self.span(span))
      case .settings: words(.settings, title)
      }
    return page(title, effect, [LinkPage.Button(title: title)])
  }

  /// The page that says what an undo will do.
  var undoQuestion: LinkPage {
    page(words(.undo), words(.undoes), [LinkPage.Button(title: words(.undo))])
  }

  /// The page that offers all actions of a notification.
  func choice(_ buttons: [LinkPage.Button]) -> LinkPage {
    page(words(.choose), words(.choice), buttons)
  }

  /// The page that says what an action has done.
  ///
  /// - Parameter undo: the token of the link that undoes the action; nil if the action cannot be
  ///   undone.
  func result(
    _ answer: ActionAnswer, in recipient: Recipient, planner: Planner, undo: String?
  ) -> LinkPage {
    let title = answer.action.titles.title(in: recipient.facts.profile(.locale))
    let effect =
      switch answer.action.effect {
      case .event: words(.recorded, title)
      case .snooze:
        words(.snoozed, answer.snoozeEnd.map { Self.time($0, recipient, planner) } ?? "")
      case .settings: words(.changed, title)
      }
    let buttons = undo.map { [LinkPage.Button(title: words(.undo), target: $0)] } ?? []
    return page(title, effect, buttons)
  }

  /// The page that confirms an undo.
  var undone: LinkPage { page(words(.undo), words(.undone)) }

  /// The local date and time of an instant.
  private static func time(_ instant: Instant, _ recipient: Recipient, _ planner: Planner) -> String
  {
    let local = PlanningContext(facts: recipient.facts, planner: planner).zone.local(at: instant)
    return "\(local.date) \(local.time)"
  }

  private func span(_ span: TimeSpan) -> String {
    let minutes = span.milliseconds / TimeSpan.minutes(1).milliseconds
    if minutes % 1_440 == 0 { return words(.days, "\(minutes / 1_440)") }
    if minutes % 60 == 0 { return words(.hours, "\(minutes / 60)") }
    return words(.minutes, "\(minutes)")
  }

  private static let all = ["en": english, "de": german, "ar": arabic]

  private static let english: [Key: String] = [
    .answer: "This answers the reminder with “#”.", .recorded: "Your answer “#” is recorded.",
    .snooze: "This sends the reminder again in #.",
    .snoozed: "The reminder comes again: #.",
    .settings: "This changes your settings: #.", .changed: "Your settings are changed: #.",
    .choose: "Your answer", .choice: "Choose an answer to the reminder.",
    .undo: "Undo", .undoes: "This takes your answer back. A snoozed reminder does not come again.",
    .undone: "Your answer is taken back.",
    .minutes: "# min", .hours: "# h", .days: "# d",
  ]

  private static let german: [Key: String] = [
    .answer: "Damit beantwortest du die Erinnerung mit „#“.",
    .recorded: "Deine Antwort „#“ ist gespeichert.",
    .snooze: "Die Erinnerung kommt in # noch einmal.",
    .snoozed: "Die Erinnerung kommt noch einmal: #.",
    .settings: "Damit änderst du deine Einstellungen: #.",
    .changed: "Deine Einstellungen sind geändert: #.",
    .choose: "Deine Antwort", .choice: "Wähle eine Antwort auf die Erinnerung.",
    .undo: "Rückgängig",
    .undoes: "Damit nimmst du deine Antwort zurück. Eine verschobene Erinnerung kommt nicht mehr.",
    .undone: "Deine Antwort ist zurückgenommen.",
    .minutes: "# Min.", .hours: "# Std.", .days: "# T.",
  ]

  private static let arabic: [Key: String] = [
    .answer: "هذا يجيب عن التذكير بـ «#».", .recorded: "سُجّلت إجابتك «#».",
    .snooze: "سيصلك التذكير مرة أخرى بعد #.", .snoozed: "سيصلك التذكير مرة أخرى: #.",
    .settings: "هذا يغيّر إعداداتك: #.", .changed: "تغيّرت إعداداتك: #.",
    .choose: "إجابتك", .choice: "اختر إجابة عن التذكير.",
    .undo: "تراجع", .undoes: "هذا يلغي إجابتك. التذكير المؤجَّل لن يصل مرة أخرى.",
    .undone: "أُلغيت إجابتك.",
    .minutes: "# دقيقة", .hours: "# ساعة", .days: "# يوم",
  ]
}
