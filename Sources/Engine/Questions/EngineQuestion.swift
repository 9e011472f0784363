package import CivilTime
package import Reminders
package import Store

/// What is asked of the service and changes nothing, with where the answer goes.
package enum EngineQuestion: Sendable {
  case agenda(String, Answer<Agenda?>)
  /// What of a recipient was cancelled and may be resumed.
  case cancelled(String, Answer<Agenda?>)
  case recipient(String, Answer<Recipient?>)
  /// Of a recipient, a notification by its id.
  case history(String, notification: String, Answer<HistoryAnswer>)
  case inbox(String, offset: Int, limit: Int, Answer<InboxPage>)
  /// How much a recipient has that has arrived and is not dismissed.
  case arrived(String, Answer<Int>)
  case notificationHistory(String, HistoryQuestion, Answer<NotificationHistory?>)
  /// Follows what goes out to a recipient, from a place on.
  case watch(String, from: String?, StreamSignal, Answer<WatchAnswer>)
  case page(Watch, Backlog, on: ChannelSet, Answer<StreamPage?>)
  /// What is told to all people.
  case feed(FeedQuestion, Answer<FeedPage>)
  case deadLetters(DeadLetterQuestion, Answer<DeadLetterPage>)
  /// By its id; nil if there is none.
  case deadLetter(String, Answer<DeadLetter?>)
  case deadLetterGroups(DeadLetterGrouping, DeadLetterFilter, Answer<DeadLetterGroups>)
  case recipients(RecipientQuestion, Answer<RecipientPage>)
  case prunable(PruningQuestion, Answer<PruningForecast>)
  case forecast(ForecastQuestion, Answer<Forecast>)
  /// What another catalog changes of people's next days.
  case trial(Planner, days: Int, Answer<CatalogTrial>)
  /// The reminders that another catalog ends.
  case ended(Planner, Answer<[EndedReminder]>)
  case activity(ActivityQuestion, Answer<Activity>)
  case status(Answer<ServiceStatus>)
  case metrics(Answer<ServiceMetrics>)
  /// Nil where a store is one process's.
  case fleet(Answer<FleetOverview?>)
  case analytics(AnalyticsQuery, Answer<AnalyticsPage?>)
  case export(String, ExportPage.Place, Answer<ExportPage?>)
  case usage(from: LocalDate, through: LocalDate, Answer<UsageTable>)
}

extension EngineQuestion {
  /// What makes an answer take long.
  enum Burden {
    /// Nothing: it is about the service.
    case service
    /// The data of people.
    case people
    /// A catalog that was sent.
    case trial
  }

  var burden: Burden {
    switch self {
    case .status, .metrics, .activity, .fleet: .service
    case .trial: .trial
    default: .people
    }
  }

  /// Tells who asked why there is no answer.
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
