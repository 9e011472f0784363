package import CivilTime
package import Reminders
package import Store

/// A query to the service, with the receiver of its answer. It changes nothing.
package enum EngineQuestion: Sendable {
  case agenda(String, Answer<Agenda?>)
  /// A recipient's cancelled occurrences that may be resumed.
  case cancelled(String, Answer<Agenda?>)
  case recipient(String, Answer<Recipient?>)
  /// A notification of a recipient, by its id.
  case history(String, notification: String, Answer<HistoryAnswer>)
  case inbox(String, offset: Int, limit: Int, Answer<InboxPage>)
  /// The number of a recipient's delivered notifications that are not dismissed.
  case arrived(String, Answer<Int>)
  case notificationHistory(String, HistoryQuestion, Answer<NotificationHistory?>)
  /// Follows a recipient's new deliveries from a position on.
  case watch(String, from: String?, StreamSignal, Answer<WatchAnswer>)
  case page(Watch, Backlog, on: ChannelSet, Answer<StreamPage?>)
  /// The notifications of all recipients.
  case feed(FeedQuestion, Answer<FeedPage>)
  case deadLetters(DeadLetterQuestion, Answer<DeadLetterPage>)
  /// The dead letter with an id; nil if there is none.
  case deadLetter(String, Answer<DeadLetter?>)
  case deadLetterGroups(DeadLetterGrouping, DeadLetterFilter, Answer<DeadLetterGroups>)
  case recipients(RecipientQuestion, Answer<RecipientPage>)
  case prunable(PruningQuestion, Answer<PruningForecast>)
  case forecast(ForecastQuestion, Answer<Forecast>)
  /// The effects of another catalog on the recipients' next days.
  case trial(Planner, days: Int, Answer<CatalogTrial>)
  /// The reminders that another catalog ends.
  case ended(Planner, Answer<[EndedReminder]>)
  case activity(ActivityQuestion, Answer<Activity>)
  case status(Answer<ServiceStatus>)
  case metrics(Answer<ServiceMetrics>)
  /// Nil without a fleet.
  case fleet(Answer<FleetOverview?>)
  case analytics(AnalyticsQuery, Answer<AnalyticsPage?>)
  case export(String, ExportPage.Place, Answer<ExportPage?>)
  case usage(from: LocalDate, through: LocalDate, Answer<UsageTable>)
}

extension EngineQuestion {
  /// The reason why an answer may take long.
  enum Burden {
    /// None: it is about the service.
    case service
    /// The data of recipients.
    case people
    /// A submitted catalog.
    case trial
  }

  var burden: Burden {
    switch self {
    case .status, .metrics, .activity, .fleet: .service
    case .trial: .trial
    default: .people
    }
  }

  /// Refuses the query for the given reason.
  func refuse(_ unavailable: ServiceUnavailable) {
    switch self {
    case .agenda(_, let answer): answer(.failure(unavailable))
    case .cancelled(_, let answer): answer(.failure(unavailable))
    case .recipient(_, let answer): answer(.failure(unavailable))
    case .history(_, _, let answer): answer(.failure(unavailable))
    case .inbox(_, _, _, let answer): answer(.failure(unavailable))
    case .arrived(_, let answer): answer(.failure(unavailable))
    case .notificationHistory(_, _, let answer): answer(.failure(unavailable))
    case .watch(_, _, _, let answer): answer(.failure(unavailable))
    case .page(_, _, _, let answer): answer(.failure(unavailable))
    case .feed(_, let answer): answer(.failure(unavailable))
    case .deadLetters(_, let answer): answer(.failure(unavailable))
    case .deadLetter(_, let answer): answer(.failure(unavailable))
    case .deadLetterGroups(_, _, let answer): answer(.failure(unavailable))
    case .recipients(_, let answer): answer(.failure(unavailable))
    case .prunable(_, let answer): answer(.failure(unavailable))
    case .forecast(_, let answer): answer(.failure(unavailable))
    case .trial(_, _, let answer): answer(.failure(unavailable))
    case .ended(_, let answer): answer(.failure(unavailable))
    case .activity(_, let answer): answer(.failure(unavailable))
    case .status(let answer): answer(.failure(unavailable))
    case .metrics(let answer): answer(.failure(unavailable))
    case .fleet(let answer): answer(.failure(unavailable))
    case .analytics(_, let answer): answer(.failure(unavailable))
    case .export(_, _, let answer): answer(.failure(unavailable))
    case .usage(_, _, let answer): answer(.failure(unavailable))
    }
  }
}
