import CivilTime

/// The text of a notification, with its reminder and category. It is a class, because the
/// notifications of a burst, of many recipients due at once, share a few instances.
package final class Message: Sendable {
  /// The name of the reminder in the catalog; see also `Reminder.requested`.
  package let reminder: String
  /// The name of the category.
  package let category: String
  package let title: String
  package let body: String
  /// A JSON object for the app's client; empty if there is none.
  package let details: String
  /// The identifiers of the reminders of a digest's members; empty for other notifications.
  package let members: [String]
  /// The text for channels that other people may see; nil if the message has none.
  package let discreet: DiscreetText?
  /// Whether the whole text is from the catalog, so that many recipients get it. Otherwise it
  /// contains a recipient's data or another person's words.
  package let isCommon: Bool
  /// The context of distributed tracing of the event that caused the notification; nil if there is
  /// none.
  package let trace: TraceContext?

  package init(
    reminder: String, category: String, title: String, body: String, details: String = "",
    members: [String] = [], discreet: DiscreetText? = nil, isCommon: Bool = false,
    trace: TraceContext? = nil
  ) {
    self.reminder = reminder
    self.category = category
    self.title = title
    self.body = body
    self.details = details
    self.members = members
    self.discreet = discreet
    self.isCommon = isCommon
    self.trace = trace
  }

  /// Returns the message with other details for the app's client.
  func with(details: String) -> Message {
    Message(
      reminder: reminder, category: category, title: title, body: body, details: details,
      members: members, discreet: discreet, isCommon: isCommon, trace: trace)
  }

  /// Returns the message with another discreet text.
  func with(discreet: DiscreetText?) -> Message {
    Message(
      reminder: reminder, category: category, title: title, body: body, details: details,
      members: members, discreet: discreet, isCommon: isCommon, trace: trace)
  }

  /// Returns whether the message is a message to another person about a recipient, but no digest.
  package func isAbout(_ name: String) -> Bool { details == Relay.details(about: name) }

  /// The message without texts, because they are about a person who was erased.
  package var emptied: Message {
    Message(reminder: reminder, category: category, title: "", body: "", trace: trace)
  }

  var isEmptied: Bool { title.isEmpty && body.isEmpty && details.isEmpty }

  /// Returns the message with a tracing context. The result is not common, because the context
  /// belongs to one recipient.
  func traced(_ trace: TraceContext?) -> Message {
    guard let trace else { return self }
    return Message(
      reminder: reminder, category: category, title: title, body: body, details: details,
      members: members, discreet: discreet, trace: trace)
  }
}

extension Message: Hashable {
  /// Compares all texts byte by byte.
  package static func == (left: Message, right: Message) -> Bool {
    left === right
      || isSame(left.reminder, right.reminder) && isSame(left.category, right.category)
        && isSame(left.title, right.title) && isSame(left.body, right.body)
        && isSame(left.details, right.details)
        && left.members.elementsEqual(right.members, by: isSame) && left.trace == right.trace
        && left.discreet?.channels == right.discreet?.channels
        && isSame(left.discreet?.text ?? "", right.discreet?.text ?? "")
  }

  private static func isSame(_ text: String, _ other: String) -> Bool {
    ExactText(text) == ExactText(other)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(reminder)
    hasher.combine(title)
    hasher.combine(body)
  }
}

extension Catalog {
  /// The messages of each reminder, by template. Nil for a template with placeholders, whose text
  /// differs between recipients or occurrences.
  var fixedMessages: [[Message?]] {
    reminders.map { reminder in
      let category = categories[reminder.category]
      return reminder.messages.map { template in
        guard let title = template.title.literal, let body = template.body.literal else {
          return nil
        }
        return Message(
          reminder: reminder.identifier, category: category.name, title: title, body: body,
          details: reminder.offering("", in: nil),
          discreet: category.discreet(template.discreet, in: template.language), isCommon: true)
      }
    }
  }
}

extension PlanningContext {
  /// Returns the message of a fired occurrence or digest; nil if the catalog no longer has its
  /// reminder.
  package func message(of firing: Firing) -> Message? {
    let message =
      firing.members.isEmpty
      ? message(
        of: firing.reminder, key: firing.key, template: firing.message, about: firing.subject,
        at: firing.at) : message(of: firing.members, at: firing.at)
    return message?.traced(trace(of: firing))
  }

  /// Returns the category of the message of a fired occurrence or digest.
  package func category(of firing: Firing) -> String? {
    let reminders = firing.members.isEmpty ? [firing.reminder] : firing.members.map(\.reminder)
    return reminders.lazy.compactMap(catalog.reminder).first.map {
      catalog.categories[$0.category].name
    }
  }

  /// Returns the message with the text that the occurrence has when it is sent.
  package func message(of pending: Pending) -> Message? {
    message(
      of: pending.reminder, key: pending.key, template: pending.message, about: pending.subject,
      at: pending.decision.at)
  }

  /// Returns the message that one of the reminder's templates gives for an occurrence that is sent
  /// at an instant.
  func message(
    of symbol: Symbol, key: Int64, template templateIndex: UInt8, about subject: Subject,
    at now: Instant
  ) -> Message? {
    guard let reminder = catalog.reminder(symbol) else { return nil }
    let category = catalog.categories[reminder.category]
    let locale = facts.profile(.locale)
    if case .request = reminder.trigger {
      return (facts.requests[key]?.content).map { content in
        Message(
          reminder: reminder.identifier, category: category.name, title: content.title,
          body: content.body, details: reminder.offering(content.details, in: locale),
          discreet: chosen(category.discreet(nil, in: locale.flatMap { LanguageTag($0) })))
      }
    }
    let index = min(Int(templateIndex), reminder.messages.count - 1)
    let template = reminder.messages[index]
    // A text without fields of the event does not depend on the event.
    let about = reminder.recipientRole == nil ? nil : subject.details?.values.text(Relay.subject)
    var subject = subject
    if reminder.link == nil, !template.namesFields { subject.details = nil }
    let details = subject.details
    let isSame = template.translations.isEmpty && reminder.actions.isEmpty
    if details == nil, about == nil, isSame || locale == nil,
      let fixed = planner.fixedMessage(of: symbol, template: index)
    {
      let discreet = chosen(fixed.discreet)
      return discreet == fixed.discreet ? fixed : fixed.with(discreet: discreet)
    }
    let mayNameRecipient = reminder.mayNameRecipient.isOn(settings)
    let (title, body) = texts(
      of: template, about: subject, at: now, mayNameRecipient: mayNameRecipient)
    return Message(
      reminder: reminder.identifier, category: category.name, title: title, body: body,
      details: reminder.offering(
        reminder.link.flatMap { link in details.map(link.json) }
          ?? about.map { Relay.details(about: $0) } ?? "", in: locale),
      discreet: discreet(of: template, category, in: locale),
      isCommon: details == nil && !template.namesReader && about == nil)
  }

  private func discreet(
    of template: MessageTemplate, _ category: Category, in locale: String?
  ) -> DiscreetText? {
    guard template.discreet != nil || !category.discreetChannels.isEmpty else { return nil }
    let words = template.words(for: locale)
    return chosen(category.discreet(words.discreet, in: words.language))
  }

  /// Returns a template's texts for this recipient at an instant of sending.
  private func texts(
    of template: MessageTemplate, about subject: Subject, at now: Instant, mayNameRecipient: Bool
  ) -> (title: String, body: String) {
    let number = subject.count?.number(at: now, in: zone)
    guard !template.isAlikeForAll else {
      return (template.title.text(number: number), template.body.text(number: number))
    }
    let locale = facts.profile(.locale)
    let words = template.words(for: locale)
    let details = subject.details
    let wording =
      details == nil && !template.namesReader && !template.namesTime
      ? .neutral
      : Wording(
        textIn: words.language, readIn: locale.flatMap { LanguageTag($0) },
        name: mayNameRecipient ? facts.profile(.name) : nil)
    var time = SendingTime(now: now, zone: zone, subject: subject.instant)
    time.hasPassed = subject.hasPassed(at: now, in: zone)
    return (
      words.title.text(number: number, details: details, wording: wording, time: time),
      words.body.text(number: number, details: details, wording: wording, time: time)
    )
  }

  /// Returns a digest's message. The message has the category of the most urgent member, and a line
  /// for each member (rule V14).
  private func message(of members: [Firing.Member], at now: Instant) -> Message? {
    let messages = members.compactMap {
      message(of: $0.reminder, key: $0.key, template: $0.message, about: $0.subject, at: now)
    }
    return digest(of: messages)
  }

  /// Returns the message of a digest of messages; nil if there are none.
  package func digest(of messages: [Message]) -> Message? {
    guard let first = messages.first else { return nil }
    let (words, locale) = (catalog.digest, facts.profile(.locale))
    let lines = messages.map { words.line(of: $0, in: locale, zone: zone) }
    let title = words.title(messages.count, in: locale)
    return Message(
      reminder: Digest.identifier, category: first.category, title: title,
      body: lines.joined(separator: "\n"), members: messages.map(\.reminder),
      discreet: DiscreetText(of: messages.compactMap(\.discreet), titled: title),
      isCommon: messages.allSatisfy(\.isCommon))
  }
}
