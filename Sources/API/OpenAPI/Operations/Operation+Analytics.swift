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

  static let usage = Operation(
    identifier: "usage",
    summary: "How notifications were used, by category, channel and hour of people's own days",
    parameters: [
      .query("from", .date, "The first date; 29 days before to unless given"),
      .query("to", .date, "The last date, at most 366 days later; today unless given"),
    ],
    answers: [Answer("The counts", .reference(.usage))])

  private static let events = Answer("A page of events", .reference(.analyticsPage))

  private static let page: [Parameter] = [
    .query("limit", .integer(1...1_000), "How many at most; 100 unless given"),
    .query("after", .text, "The \"next\" of the page before"),
  ]
}
