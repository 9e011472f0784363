import CivilTime
import JSON
import Reminders
import Testing

/// Rules G6 and G9: several entities share a calendar date. Only the entities that the conditions
/// allow determine the text and the limit of a snooze.
@Suite struct SharedDateTextTests {
  private static let doses = Fixtures.catalog(
    events: "{dose: {thing: identifier}, taken: {thing: identifier}}",
    reminders: [
      "note": "every: {day: {at: '10:00'}}, since: dose, unless: taken, "
        + "messages: [{title: '{{days | one: # day | other: # days}}', body: b}]"
    ])

  @Test func `G6: days are counted for the entities that are not finished`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  event dose {"thing": "a"}
      2026-03-03 10:00  > note "1 day"
      2026-03-04 10:00  > note "2 days"
      2026-03-04 12:00  event dose {"thing": "b"}
      2026-03-05 09:00  event taken {"thing": "b"}
      2026-03-05 10:00  > note "3 days"
      2026-03-06 10:00  > note "2 days"
      2026-03-06 12:00  end
      """, catalog: Self.doses)
  }

  private static let visits = Fixtures.catalog(
    events: "{booked: {visit: identifier, at: instant, name: text}, ready: {visit: identifier}}",
    reminders: [
      "note": "every: {day: {at: '10:00'}}, since: booked, unless: ready, "
        + "upcoming: {event: booked, at: at, within: 24h}, "
        + "messages: [{title: '{{name}}', body: b}]"
    ])

  @Test func `G6: the text names the first entity that is not finished`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  event booked {"visit": "a", "at": "2026-03-03T12:00:00Z", "name": "noon"}
      2026-03-02 12:01  event booked {"visit": "b", "at": "2026-03-03T18:00:00Z", "name": "late"}
      2026-03-03 09:00  event ready {"visit": "a"}
      2026-03-03 10:00  > note "late"
      2026-03-03 20:00  end
      """, catalog: Self.visits)
  }

  @Test func `N8: a snooze is limited by the entities that are not finished`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  event booked {"visit": "a", "at": "2026-03-03T12:00:00Z", "name": "noon"}
      2026-03-02 12:01  event booked {"visit": "b", "at": "2026-03-03T18:00:00Z", "name": "late"}
      2026-03-03 09:00  event ready {"visit": "a"}
      2026-03-03 09:30  snooze note 3h
      2026-03-03 13:00  > note "late"
      2026-03-03 20:00  end
      """, catalog: Self.visits)
  }

  /// The declared time is 08:00, and the recipient opens most notifications at 20:00.
  @Test func `M3: the text is about the entity that is upcoming at the chosen time`() throws {
    try Diary.expect(
      """
      2026-03-02 20:00  opened
      2026-03-02 20:01  opened
      2026-03-02 20:02  opened
      2026-03-02 20:03  opened
      2026-03-02 20:04  opened
      2026-03-02 21:00  event booked {"visit": "a", "at": "2026-03-03T12:00:00Z", "name": "noon"}
      2026-03-02 21:01  event booked {"visit": "b", "at": "2026-03-04T09:00:00Z", "name": "dawn"}
      2026-03-03 20:00  > note "dawn"
      2026-03-03 23:00  end
      """,
      catalog: Fixtures.catalog(
        events: "{booked: {visit: identifier, at: instant, name: text}}",
        reminders: [
          "note": "every: {day: {at: '08:00'}}, smart: true, "
            + "upcoming: {event: booked, at: at, within: 24h}, "
            + "messages: [{title: '{{name}}', body: b}]"
        ]))
  }
}
