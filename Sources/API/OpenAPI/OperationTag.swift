import JSON

/// The subject of an operation; generated clients and pages group operations by tag.
enum OperationTag: String, CaseIterable {
  case events = "Events"
  case schedule = "Schedule"
  case preferences = "Preferences"
  case notifications = "Notifications"
  case people = "People"
  case apps = "Apps"
  case operators = "Operators"

  /// - Parameter template: the path of the operation's route.
  init(path template: String) {
    let last = template.split(separator: "/").last.map(String.init) ?? ""
    self =
      if [EventRoute.path, CalendarImportRoute.path].contains(template) {
        .events
      } else if Self.appPathPrefixes.contains(where: template.hasPrefix) {
        .apps
      } else if template == RecipientListRoute.path || template.hasPrefix("/v1/exports") {
        .people
      } else if [FeedRoute.path, PushKeyRoute.path, "/v1/outcomes"].contains(template) {
        .notifications
      } else if !template.hasPrefix(Self.recipientPath) {
        .operators
      } else if template.hasPrefix(Self.recipientPath + "/preferences") {
        .preferences
      } else if template.contains("/scheduled") || Self.scheduleSegments.contains(last) {
        .schedule
      } else if template == Self.recipientPath || Self.peopleSegments.contains(last) {
        .people
      } else {
        .notifications
      }
  }

  private static let appPathPrefixes = [
    "/customers", "/api", "/unsubscribe", "/a/", "/v1/receipts", "/v1/replies",
    CalendarRoutes.feedPath,
  ]
  private static let recipientPath = "/v1/recipients/{recipient}"
  /// The last segments of a recipient's paths that belong to `people`.
  private static let peopleSegments = [
    "export", "export-tickets", "analytics", "text-views", "events",
  ]
  /// The last segments of a recipient's paths that belong to `schedule`.
  private static let scheduleSegments = [
    "pending", "ahead", "explain", "projection", "calendar",
  ]

  private var details: String {
    switch self {
    case .events: "Events that apps report"
    case .schedule: "Upcoming notifications, their times and reasons"
    case .preferences: "Recipients' preferences, and the effects of changes"
    case .notifications: "Past notifications, and the stream of new ones"
    case .people: "Recipients, and all stored data of a recipient"
    case .apps:
      """
      The interfaces of the UrbanNest and rooms apps, the links in e-mails and to calendars, and \
      the reports of sinks' services
      """
    case .operators: "The service itself"
    }
  }

  static var json: JSONValue {
    .array(
      allCases.map { ["name": .string($0.rawValue), "description": .string($0.details)] })
  }
}
