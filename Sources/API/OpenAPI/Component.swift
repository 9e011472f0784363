import JSON
import Reminders

/// The schemas that have a name.
enum Component: String, CaseIterable, Sendable {
  case problem = "Problem"
  case event = "Event"
  case eventAnswer = "EventAnswer"
  case eventsAnswer = "EventsAnswer"
  case pending = "Pending"
  case pendingPage = "PendingPage"
  case firing = "Firing"
  case timeline = "Timeline"
  case explanation = "Explanation"
  case pastExplanation = "PastExplanation"
  case explanations = "Explanations"
  case preferences = "Preferences"
  case consequences = "Consequences"
  case preferencesExport = "PreferencesExport"
  case preset = "Preset"
  case presets = "Presets"
  case status = "Status"
  case fleet = "Fleet"
  case word = "Word"
  case analyticsPage = "AnalyticsPage"
  case usage = "Usage"
  case export = "Export"
  case listedRecipient = "ListedRecipient"
  case token = "Token"
  case failure = "Failure"
  case customerPreferences = "CustomerPreferences"
  case inboxPage = "InboxPage"
  case inboxItem = "InboxItem"
  case scheduledPage = "ScheduledPage"
  case projected = "Projected"
  case notificationPage = "NotificationPage"
  case changes = "Changes"
  case snoozed = "Snoozed"
  case delivery = "Delivery"

  func schema(_ catalog: Catalog) -> Schema {
    switch self {
    case .problem: Self.problemSchema
    case .event: catalog.eventSchema
    case .eventAnswer: Self.eventAnswerSchema
    case .eventsAnswer: Self.eventsAnswerSchema
    case .pending: Self.pendingSchema
    case .pendingPage: Self.pendingPageSchema
    case .firing: Self.firingSchema
    case .timeline: Self.timelineSchema
    case .explanation: Self.explanationSchema
    case .pastExplanation: Self.pastExplanationSchema
    case .explanations: Self.explanationsSchema
    case .preferences: catalog.preferencesSchema
    case .consequences: Self.consequencesSchema
    case .preferencesExport: Self.preferencesExportSchema
    case .preset: Self.presetSchema
    case .presets: Self.presetsSchema
    case .status: Self.statusSchema
    case .fleet: Self.fleetSchema
    case .analyticsPage: Self.analyticsPageSchema
    case .usage: Self.usageSchema
    case .export: Self.exportSchema
    case .listedRecipient: Self.listedRecipientSchema
    case .token: Self.tokenSchema
    case .failure: .object(.init("success", .boolean), .init("message", .text))
    case .word: .object(.init("status", .text))
    case .customerPreferences: Self.customerPreferencesSchema
    case .inboxPage: Self.inboxPageSchema
    case .inboxItem: Self.inboxItemSchema
    case .scheduledPage: Self.scheduledPageSchema
    case .projected: Self.projectedSchema
    case .notificationPage: Self.toldPageSchema
    case .changes: Self.changesSchema
    case .snoozed: Self.snoozedSchema
    case .delivery: Self.deliverySchema
    }
  }

  private static var problemSchema: Schema {
    .object(
      .init("type", .text.described("Which kind of problem: urn:chimed:problem:...")),
      .init("title", .text), .init("status", .integer(400...599)),
      .init("detail", .text.described("What is wrong, where, and what to do about it")),
      .optional("path", .text.described("The member or parameter concerned")))
  }
}
