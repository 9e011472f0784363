package import CivilTime
package import Store

/// A query to the service, which changes nothing and never uses the engine's thread (rule H6).
///
/// A thread for queries answers it, from a snapshot of the store and from the engine's published
/// view. A new query consists of a conforming type and its callers.
package protocol EngineQuery<Value>: Sendable {
  associatedtype Value: Sendable

  /// Selects the threads that answer queries of this type; the default is `people`.
  static var burden: QueryBurden { get }

  /// Returns the answer as of `now`.
  ///
  /// - Throws: the error of a store that cannot be read.
  func answer(from questions: Questions, now: Instant) throws(StoreError) -> Value
}

/// The subject of a query or a computation, on which its time depends. Each has separate threads.
package enum QueryBurden: Sendable {
  /// The service; an answer never takes long.
  case service
  /// The data of recipients.
  case people
  /// A submitted catalog or a past instant, whose processing may take seconds.
  case trial
  /// A calendar, for bearers of links who are not authenticated; its computation is limited.
  case calendar
}

extension EngineQuery {
  package static var burden: QueryBurden { .people }
}
