import CivilTime
import Reminders

/// The words of the pages of actions: in the person's language if it is German or Arabic, otherwise
/// in English.
struct ActionWords: Sendable {
  /// The texts; in each of them, a # stands for a value.
  private let text: [Key: String]
  private let language: String

  /// The texts of the pages that ask for, confirm or undo an action.
  private enum Key {
    case answer, recorded, snooze, snoozed, settings, changed, choose, choice, undo, undoes, undone
    case minutes, hours, days
  }

  /// The kinds of problems that the pages tell apart.
  private enum Obstacle {
    case unknown, expired, impossible, repeated, busy, unavailable, unreadable

    init(_ problem: Problem) {
      self =
        switch problem.kind {
        case .unknownLink: .unknown
        case .expiredLink: .expired
        case .conflictingLink: .impossible
        case .repeatedLink: .repeated
        case .tooManyRequests: .busy
        default: problem.isServiceFault ? .unavailable : .unreadable
        }
    }
  }

  init(_ locale: String?) {
    let tag = locale.flatMap { LanguageTag($0) }
    (language, text) =
      tag?.lookup { tag in Self.all[tag.description].map { (tag.description, $0) } }
      ?? ("en", Self.english)
  }

  /// Returns the language of the pages that a browser prefers; nil if it accepts none of them.
  ///
  /// - Parameter header: the value of Accept-Language (RFC 9110), such as `de-AT, en;q=0.8`.
  static func language(accepted header: String) -> String? {
    var best: (language: String, weight: Double)?
    for range in header.split(separator: ",").prefix(rangesMax) {
      let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
      let weight = parts.dropFirst().first.map { Double($0.trimmingPrefix("q=")) ?? 0 } ?? 1
      guard weight > best?.weight ?? 0, let tag = parts.first.flatMap({ LanguageTag($0) }),
        let language = tag.lookup({ all[$0.description] == nil ? nil : $0.description })
      else { continue }
      best = (language, weight)
    }
    return best?.language
  }

  /// The number of language ranges that are read.
  private static let rangesMax = 16

  /// The page that states why nothing was done.
  func page(of problem: Problem) -> LinkPage {
    let (heading, text) =
      (Self.obstacles[language] ?? Self.englishObstacles)[Obstacle(problem)]
      ?? (problem.kind.title, problem.detail)
    return page(heading, text)
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
    _ answer: ActionAnswer, of recipient: Recipient, in locale: String?, planner: Planner,
    undo: String?
  ) -> LinkPage {
    let title = answer.action.titles.title(in: locale)
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

  // MARK: - Problems

  private static let obstacles = [
    "en": englishObstacles, "de": germanObstacles, "ar": arabicObstacles,
  ]

  private static let englishObstacles: [Obstacle: (String, String)] = [
    .unknown: (
      "The link is not valid",
      "The link is incomplete or changed. Open it from the notification, or use the app."
    ),
    .expired: (
      "Too late",
      "The notification is over, or the minute to undo an answer has passed. Nothing was changed. "
        + "Use the app."
    ),
    .impossible: (
      "Not possible", "This answer is not possible now. Nothing was changed. Use the app."
    ),
    .repeated: (
      "Already answered",
      "This answer was given before, or the reminder is snoozed or dismissed. Nothing was changed."
    ),
    .busy: ("Too many attempts", "Wait a minute, and open the link again."),
    .unavailable: (
      "Not available now",
      "The service cannot answer now. Open the link again in a minute. An answer counts once."
    ),
    .unreadable: (
      "Not readable", "The request cannot be read. Open the link from the notification again."
    ),
  ]

  private static let germanObstacles: [Obstacle: (String, String)] = [
    .unknown: (
      "Der Link ist ungültig",
      "Der Link ist unvollständig oder verändert. Öffne ihn aus der Benachrichtigung, oder nutze "
        + "die App."
    ),
    .expired: (
      "Zu spät",
      "Die Benachrichtigung ist abgelaufen, oder die Minute für Rückgängig ist vorbei. Es wurde "
        + "nichts geändert. Nutze die App."
    ),
    .impossible: (
      "Nicht möglich",
      "Diese Antwort ist jetzt nicht möglich. Es wurde nichts geändert. Nutze die App."
    ),
    .repeated: (
      "Schon beantwortet",
      "Diese Antwort gibt es schon, oder die Erinnerung ist verschoben oder ausgeblendet. Es wurde "
        + "nichts geändert."
    ),
    .busy: ("Zu viele Versuche", "Warte eine Minute, und öffne den Link noch einmal."),
    .unavailable: (
      "Gerade nicht erreichbar",
      "Der Dienst kann gerade nicht antworten. Öffne den Link in einer Minute noch einmal. Eine "
        + "Antwort zählt nur einmal."
    ),
    .unreadable: (
      "Nicht lesbar",
      "Die Anfrage ist nicht lesbar. Öffne den Link noch einmal aus der Benachrichtigung."
    ),
  ]

  private static let arabicObstacles: [Obstacle: (String, String)] = [
    .unknown: ("الرابط غير صالح", "الرابط ناقص أو تغيّر. افتحه من الإشعار، أو استخدم التطبيق."),
    .expired: (
      "فات الأوان", "انتهى الإشعار، أو مضت دقيقة التراجع. لم يتغيّر شيء. استخدم التطبيق."
    ),
    .impossible: ("غير ممكن", "هذه الإجابة غير ممكنة الآن. لم يتغيّر شيء. استخدم التطبيق."),
    .repeated: (
      "سبقت الإجابة", "سُجّلت هذه الإجابة من قبل، أو أُجّل التذكير أو أُخفي. لم يتغيّر شيء."
    ),
    .busy: ("محاولات كثيرة", "انتظر دقيقة، ثم افتح الرابط مرة أخرى."),
    .unavailable: (
      "غير متاح الآن",
      "لا تستطيع الخدمة أن تجيب الآن. افتح الرابط مرة أخرى بعد دقيقة. تُحسب الإجابة مرة واحدة."
    ),
    .unreadable: ("طلب غير مقروء", "لا يمكن قراءة الطلب. افتح الرابط من الإشعار مرة أخرى."),
  ]
}
