import JSON
import Reminders

/// The named schemas of the OpenAPI document.
enum Component: String, CaseIterable, Sendable {
  case problem = "Problem"
  case fault = "Fault"
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
  case roomsPage = "RoomsPage"
  case roomsItem = "RoomsItem"
  case scheduled = "Scheduled"
  case scheduledPage = "ScheduledPage"
  case projected = "Projected"
  case notificationPage = "NotificationPage"
  case changes = "Changes"
  case snoozed = "Snoozed"
  case delivery = "Delivery"
  case testLine = "TestLine"

  func schema(_ catalog: Catalog) -> Schema {
    switch self {
    case .problem: ProblemPayload.shape.schema
    case .fault: FaultPayload.shape.schema
    case .event: catalog.eventSchema
    case .eventAnswer: EventAnswerPayload.shape.schema
    case .eventsAnswer: EventsAnswerPayload.shape.schema
    case .pending: PendingPayload.shape.schema
    case .pendingPage: PendingPagePayload.shape.schema
    case .firing: FiringPayload.shape.schema
    case .timeline: TimelinePayload.shape.schema
    case .explanation: ExplanationPayload.shape.schema
    case .pastExplanation: PastExplanationPayload.shape.schema
    case .explanations: ExplanationsPayload.shape.schema
    case .preferences: catalog.preferencesSchema
    case .consequences: ConsequencesPayload.shape.schema
    case .preferencesExport: Self.preferencesExportSchema
    case .preset: PresetPayload.shape.schema
    case .presets: PresetsPayload.shape.schema
    case .status: StatusPayload.shape.schema
    case .fleet: FleetPayload.shape.schema
    case .analyticsPage: AnalyticsPagePayload.shape.schema
    case .usage: UsagePayload.shape.schema
    case .export: .export
    case .listedRecipient: ListedRecipientPayload.shape.schema
    case .token: TokenPayload.shape.schema
    case .failure: FailurePayload.shape.schema
    case .word: WordPayload.shape.schema
    case .customerPreferences: Self.customerPreferencesSchema
    case .inboxPage: InboxPagePayload.shape.schema
    case .inboxItem: InboxItemPayload.shape.schema
    case .roomsPage: RoomsPagePayload.shape.schema
    case .roomsItem: RoomsItemPayload.shape.schema
    case .scheduled: ScheduledPayload.shape.schema
    case .scheduledPage: ScheduledPagePayload.shape.schema
    case .projected: ProjectedPayload.shape.schema
    case .notificationPage: NotificationPagePayload.shape.schema
    case .changes: ChangesPayload.shape.schema
    case .snoozed: SnoozedPayload.shape.schema
    case .delivery: DeliveryPayload.shape.schema
    case .testLine: TestLinePayload.shape.schema
    }
  }
}
