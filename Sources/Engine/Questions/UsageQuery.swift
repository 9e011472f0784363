package import CivilTime
package import Reminders
package import Store

/// Selects the use of notifications on a range of the recipients' local dates, both ends included
/// (rule M2).
package struct UsageQuery: EngineQuery {
  package var first: LocalDate
  package var last: LocalDate

  package init(from first: LocalDate, through last: LocalDate) {
    (self.first, self.last) = (first, last)
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> UsageTable {
    try questions.readers.read { try $0.usage(from: first, through: last) }
  }
}
