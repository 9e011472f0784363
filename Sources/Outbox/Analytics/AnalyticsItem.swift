import CivilTime
package import JSON
package import Reminders

/// An analytics event for a sink (rule M1).
package struct AnalyticsItem: Document {
  /// The name of the event's store.
  package let instance: String
  package let record: AnalyticsRecord

  package init(instance: String, _ record: AnalyticsRecord) {
    (self.instance, self.record) = (instance, record)
  }

  package var number: Int64 { record.number }

  /// An identifier such as "2k7m4xq1-a12". The "a" distinguishes it from the identifier of a
  /// notification.
  package var identifier: String { "\(instance)-a\(number)" }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("recipient", record.recipient)
    writer.member("time", record.event.time.description)
    writer.member("name", record.event.name)
    writer.key(constant: "parameters")
    writer.raw(record.event.parameters)
    writer.endObject()
  }
}

/// A sink that also accepts analytics events. Events are sent on a separate thread, so that events
/// and deliveries do not wait for each other.
package protocol AnalyticsSink: Sink {
  /// Sends events, one after the other. The sink stops at the first event that has to be retried,
  /// so that events arrive in order.
  ///
  /// - Returns: an answer for each event that was sent, in order.
  /// - Throws: an outage if nothing can be sent now; the lane sends all events again later.
  func deliver(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer]
}

extension AnalyticsSink {
  /// Sends events individually, each after the answer to the previous one.
  ///
  /// - Parameter isTimeUp: whether to return now, so that the answers so far are recorded; a crash
  ///   repeats events whose answers are not recorded.
  /// - Throws: an outage of the first event.
  package func deliverInOrder(
    _ events: [AnalyticsItem], until isTimeUp: () -> Bool,
    by dispatch: (AnalyticsItem) async throws(SinkOutage) -> SinkAnswer
  ) async throws(SinkOutage) -> [SinkAnswer] {
    var answers: [SinkAnswer] = []
    for event in events {
      do throws(SinkOutage) {
        answers.append(try await dispatch(event))
      } catch {
        if answers.isEmpty { throw error }
        break
      }
      // The following events wait for the retry, so that they arrive in order.
      if case .retry? = answers.last?.verdict { break }
      if Task.isCancelled || isTimeUp() { break }
    }
    return answers
  }
}
