package import CivilTime

/// A message with made-up data in one of the message's languages. It shows catalog authors the text
/// that recipients get.
package struct MessageSample: Hashable, Sendable {
  /// The reader's made-up name.
  package static let reader = "Sam"

  package let language: LanguageTag
  package let title: String
  package let body: String
  /// The text for channels that other people may see; nil if the message declares none.
  package let discreet: String?
}

extension Catalog {
  /// Returns a reminder's messages, each in all its languages, beginning with the catalog's
  /// language.
  ///
  /// - Parameters:
  ///   - now: the instant of each event field, and of the subject, in the messages.
  ///   - zone: the zone of the instants in the messages.
  package func samples(
    of reminder: Reminder, at now: Instant, in zone: Zone
  ) -> [[MessageSample]] {
    let sample = SampleData(fields: events.flatMap(\.fields), now: now, zone: zone)
    // The instants in a text are two hours from the instant of sending.
    let sending = reminder.isAboutFuture ? now - .hours(2) : now + .hours(2)
    let time = SendingTime(now: sending, zone: zone, subject: now)
    return reminder.messages.map { sample.texts(of: $0, at: time) }
  }

  /// Returns the reminders of the categories that a loaded catalog declares.
  ///
  /// - Parameter name: the name of the catalog, which may differ from that of its file.
  package func reminders(ofCatalog name: String) -> [Reminder] {
    let catalogCategories = Set(categoryNames[name] ?? [])
    return reminders.filter { catalogCategories.contains(categories[$0.category].name) }
  }

  /// Returns the languages of the reminders' messages, beginning with the languages of the
  /// catalogs.
  package func languages(of reminders: [Reminder]) -> [LanguageTag] {
    let messages = reminders.flatMap(\.messages)
    let catalogLanguages = Set(messages.map(\.language))
    let translationLanguages = Set(messages.flatMap { $0.translations.map(\.language) })
      .subtracting(catalogLanguages)
    return [catalogLanguages, translationLanguages]
      .flatMap { $0.sorted { $0.description < $1.description } }
  }
}

extension Reminder {
  /// Whether the reminder's messages are about an instant in the future.
  fileprivate var isAboutFuture: Bool {
    switch trigger {
    case .items(let trigger):
      if case .after = trigger.timing { false } else { !trigger.isPast }
    case .calendar: terms?.upcoming != nil
    case .after, .milestone, .idle, .request, .plan: false
    }
  }
}

/// Made-up data of an event. A text is the name of its field in braces; other fields have plausible
/// values.
private struct SampleData {
  private static let number: Int64 = 7

  private let details: Details

  init(fields: [EventSchema.Field], now: Instant, zone: Zone) {
    var detailsByField: [Symbol: Detail] = [:]
    for field in fields {
      let symbol = Symbol(field.name)
      if detailsByField[symbol] != nil { continue }
      detailsByField[symbol] = Detail(field: symbol, value: Self.value(of: field, now, zone))
    }
    details = Details(values: Array(detailsByField.values), zone: zone)
  }

  private static func value(
    of field: EventSchema.Field, _ now: Instant, _ zone: Zone
  ) -> Detail.Value {
    switch field.kind {
    case .instant: .instant(now)
    case .date: .date(zone.date(at: now))
    case .number, .rememberedNumber: .number(number)
    case .flag: .flag(true)
    case .person: .person(Person(id: "alex", username: "alex", firstName: "Alex"))
    case .place: .place(Place(id: field.name, name: "{\(field.name)}"))
    case .list(let sorts): .tally(Tally(counts: sorts.indices.map { $0 + 2 }))
    case .identifier, .text, .preview, .recipient: .text("{\(field.name)}")
    case .plan: .plan(EntityPlan(minutes: [8 * 60]))
    }
  }

  func texts(of message: MessageTemplate, at time: SendingTime) -> [MessageSample] {
    let original = MessageTemplate.Translation(
      language: message.language, title: message.title, body: message.body,
      discreet: message.discreet)
    return ([original] + message.translations).map { words in
      let wording = Wording(
        textIn: words.language, readIn: words.language, name: MessageSample.reader)
      let text = { (template: Template) in
        template.text(number: Self.number, details: details, wording: wording, time: time)
      }
      return MessageSample(
        language: words.language, title: text(words.title), body: text(words.body),
        discreet: words.discreet)
    }
  }
}
