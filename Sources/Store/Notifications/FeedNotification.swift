/// A notification of whomever, without what it says: for who looks at what all people are told.
package struct FeedNotification: Sendable {
  package var recipient: String
  package var reminder: String
  package var category: String
  package var way: HistoryNotification.Way
  /// How many occurrences in a row were missed, of which it is the record; 1 for one.
  package var runLength: Int

  package init(
    recipient: String, reminder: String, category: String, way: HistoryNotification.Way,
    runLength: Int
  ) {
    self.recipient = recipient
    self.reminder = reminder
    self.category = category
    self.way = way
    self.runLength = runLength
  }
}
