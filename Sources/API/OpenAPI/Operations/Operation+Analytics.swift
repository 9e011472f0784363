import HTTPTypes
import JSON

extension Operation {
  static let analyticsEvents = Operation(
    identifier: "analyticsEvents",
    summary: "What changes of preferences and permissions have told, oldest first",
    parameters: page, answers: [events])

  static let recipientAnalytics = Operation(
    identifier: "recipientAnalytics",
    summary: "What one person's changes of preferences and permissions have told",
    parameters: page, answers: [events], problems: [.unknownRecipient])

  private static let events = Answer("A page of events", .reference(.analyticsPage))

  private static let page: [Parameter] = [
    .query("limit", .integer(1...1_000), "How many at most; 100 unless given"),
    .query("after", .text, "The \"next\" of the page before"),
  ]
}
