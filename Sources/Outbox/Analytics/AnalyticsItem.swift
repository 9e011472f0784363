import CivilTime
package import JSON
package import Reminders

/// An analytics event on its way to a sink (rule M1).
package struct AnalyticsItem: Document {
  /// The name of the store that it comes from.
  package let instance: String
  package let record: AnalyticsRecord

  package init(instance: String, _ record: AnalyticsRecord) {
    (self.instance, self.record) = (instance, record)
  }

  package var number: Int64 { record.number }

  /// "2k7m4xq1-a12": no notification is called so.
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

/// A sink that takes analytics events, too. They come on a thread of their own: neither they nor
/// deliveries wait for each other.
package protocol AnalyticsSink: Sink {
  /// Hands events over, one after the other. After one that is to be tried again it hands over no
  /// more of them, so that they come in order.
  ///
  /// - Returns: an answer for each that it came to, in order.
  /// - Throws: that nothing can be handed over now; the lane keeps them all and asks again later.
  func take(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer]
}

extension AnalyticsSink {
  /// Hands events over by themselves, each when the one before is settled.
  ///
  /// - Parameter isTimeUp: whether the answers so far are to be recorded, before there are more: a
  ///   crash repeats what is answered and not recorded.
  /// - Throws: that not even the first could be handed over.
  package func takeInOrder(
    _ events: [AnalyticsItem], until isTimeUp: () -> Bool,
    by hand: (AnalyticsItem) async throws(SinkOutage) -> SinkAnswer
  ) async throws(SinkOutage) -> [SinkAnswer] {
    var answers: [SinkAnswer] = []
    for event in events {
      do throws(SinkOutage) {
        answers.append(try await hand(event))
      } catch {
        if answers.isEmpty { throw error }
        break
      }
      // Who has lost patience hands all of them over again.
      if case .retry? = answers.last?.verdict { break }
      if Task.isCancelled || isTimeUp() { break }
    }
    return answers
  }
}
