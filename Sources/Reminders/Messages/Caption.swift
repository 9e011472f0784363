/// What a notification says, and what it is called. A class, because a herd's notifications and
/// all that is made of them share the few that there are.
package final class Caption: Sendable {
  package let reminder: String
  package let category: String
  package let title: String
  package let body: String
  /// A JSON object for the app's own client, or empty.
  package let details: String
  /// The reminders that a digest is made of.
  package let members: [String]

  package init(
    reminder: String, category: String, title: String, body: String, details: String = "",
    members: [String] = []
  ) {
    self.reminder = reminder
    self.category = category
    self.title = title
    self.body = body
    self.details = details
    self.members = members
  }
}

extension Caption: Hashable {
  package static func == (left: Caption, right: Caption) -> Bool {
    left === right
      || left.reminder == right.reminder && left.category == right.category
        && left.title == right.title && left.body == right.body && left.details == right.details
        && left.members == right.members
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(reminder)
    hasher.combine(title)
    hasher.combine(body)
  }
}

extension Catalog {
  /// What each reminder says with each of its messages, where that is the same for everyone.
  var fixedCaptions: [[Caption?]] {
    reminders.map { reminder in
      let category = categories[reminder.category].name
      return reminder.messages.map { message in
        guard let title = message.title.literal, let body = message.body.literal else {
          return nil
        }
        return Caption(
          reminder: reminder.identifier, category: category, title: title, body: body)
      }
    }
  }
}

extension Situation {
  /// What a firing says; nil if the catalog does not know its reminder any more.
  package func caption(of firing: Firing) -> Caption? {
    guard firing.members.isEmpty else { return caption(of: firing.members) }
    return caption(
      of: firing.reminder, key: firing.key, message: firing.message, number: firing.number,
      about: firing.details)
  }

  package func caption(of pending: Pending) -> Caption? {
    caption(
      of: pending.reminder, key: pending.key, message: pending.message, number: pending.number,
      about: pending.details)
  }

  private func caption(
    of symbol: Symbol, key: Int64, message: UInt8, number: Int64?, about details: Details?
  ) -> Caption? {
    guard let reminder = catalog.reminder(symbol) else { return nil }
    let category = catalog.categories[reminder.category].name
    if case .request = reminder.trigger {
      return facts.request(key).map { content in
        Caption(
          reminder: reminder.identifier, category: category, title: content.title,
          body: content.body, details: content.details)
      }
    }
    let place = min(Int(message), reminder.messages.count - 1)
    let message = reminder.messages[place]
    if details == nil, message.translations.isEmpty || facts.profile(.locale) == nil,
      let caption = planner.fixedCaption(of: symbol, message: place)
    {
      return caption
    }
    let (title, body) = texts(of: message, number: number, about: details)
    return Caption(
      reminder: reminder.identifier, category: category, title: title, body: body,
      details: reminder.link.flatMap { link in details.map(link.json) } ?? "")
  }

  /// What a message says to this person.
  private func texts(
    of message: Message, number: Int64?, about details: Details?
  ) -> (title: String, body: String) {
    guard !message.isAlikeForAll else {
      return (message.title.text(number: number), message.body.text(number: number))
    }
    let locale = facts.profile(.locale)
    let words = message.words(for: locale)
    let wording =
      details == nil
      ? .neutral
      : Wording(textIn: words.language, readIn: locale.flatMap { LanguageTag($0) })
    return (
      words.title.text(number: number, details: details, wording: wording),
      words.body.text(number: number, details: details, wording: wording)
    )
  }

  /// A digest speaks in the category of its most urgent part and names what it is made of.
  private func caption(of members: [Firing.Member]) -> Caption? {
    let captions = members.compactMap {
      caption(
        of: $0.reminder, key: $0.key, message: $0.message, number: $0.number, about: $0.details)
    }
    guard let first = captions.first else { return nil }
    return Caption(
      reminder: Digest.identifier, category: first.category,
      title: "\(captions.count) reminders",
      body: captions.map(\.title).joined(separator: ", "), members: captions.map(\.reminder))
  }
}
