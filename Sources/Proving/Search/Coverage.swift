import Reminders

/// The decisions and messages that a search has seen.
struct Coverage {
  private let declarations: Declarations
  /// The combinations of reminder, channel, outcome and reasons that a line of a timeline has had.
  private var decisions: Set<String> = []
  /// The indices of the messages that each reminder has not yet sent.
  private(set) var unsent: [String: Set<Int>]

  init(_ declarations: Declarations) {
    self.declarations = declarations
    unsent = Dictionary(
      declarations.reminders.map { ($0.name, Set($0.reminder.messages.indices)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The reminders with a message that has not been sent, in the order of the catalog.
  var targets: [DeclaredReminder] {
    declarations.reminders.filter { unsent[$0.name]?.isEmpty == false }
  }

  /// Returns whether none of the reminder's messages has been sent.
  func hasSentNothing(_ declared: DeclaredReminder) -> Bool {
    unsent[declared.name]?.count == declared.reminder.messages.count
  }

  /// The number of different decisions.
  var count: Int { decisions.count }

  /// Adds the decisions of a play.
  ///
  /// - Returns: whether one of them is new.
  mutating func add(_ play: Play, of world: World) -> Bool {
    let previousCount = decisions.count
    for entry in play.entries {
      let reasons = entry.trace.reasons.joined(separator: " ")
      decisions.insert(
        "\(entry.message.reminder) \(entry.channel.name) \(entry.outcome.name) \(reasons)")
      if entry.outcome == .delivered { removeSent(entry, world) }
    }
    return decisions.count > previousCount
  }

  /// Removes the messages that may have the text of a delivered line from `unsent`.
  private mutating func removeSent(_ entry: TimelineEntry, _ world: World) {
    let name = entry.message.reminder
    guard let unseen = unsent[name], !unseen.isEmpty, let declared = declarations[name] else {
      return
    }
    let messages = declared.reminder.messages
    guard messages.count > 1 else {
      unsent[name] = []
      return
    }
    let locale = world.locale(of: entry.recipient, at: entry.at)
    for index in unseen where messages[index].words(for: locale).mayYield(entry.message) {
      unsent[name]?.remove(index)
    }
  }
}

extension MessageTemplate.Translation {
  /// Returns whether a message has all fixed parts of the text, in their order.
  fileprivate func mayYield(_ message: Message) -> Bool {
    title.mayYield(message.title) && body.mayYield(message.body)
  }
}

extension Template {
  fileprivate func mayYield(_ text: String) -> Bool {
    var rest = text[...]
    for case .literal(let part) in segments {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}
