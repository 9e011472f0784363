import Reminders

extension Message {
  /// A copy with some parts replaced.
  func with(
    title: String? = nil, details: String? = nil, members: [String]? = nil
  ) -> Message {
    Message(
      reminder: reminder, category: category, title: title ?? self.title, body: body,
      details: details ?? self.details, members: members ?? self.members)
  }
}
