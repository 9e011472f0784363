import CivilTime
import JSON
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// The events that apps submit through the store.
@Suite struct SubmissionTests {
  private func submission(_ number: Int64, _ text: String? = nil) -> Submission {
    let event = """
      {"specversion": "1.0", "id": "\(number)", "source": "shop", "type": "relapse", \
      "subject": "amina"}
      """
    return Submission(number: number, at: Instant(milliseconds: 0), text: text ?? event)
  }

  @Test func `accepted, duplicate and refused submissions are finished`() throws {
    let waiting =
      [submission(1), submission(2, "no event"), submission(3), submission(4)]
      + [submission(5)]
    var submissions = Submissions(
      waiting, planner: try Fixtures.smartPlanner(), now: Instant(milliseconds: 1_000))
    #expect(submissions.events.map(\.identifier) == ["1", "3", "4", "5"])
    #expect(submissions.finished.map(\.number) == [2])
    submissions.settle([
      .accepted, .elsewhere(shard: 3), .refused(Refusal(path: "data", "is wrong")), .duplicate,
    ])
    // Another node's submission stays for that node.
    #expect(submissions.finished.map(\.number) == [2, 1, 4, 5])
    #expect(submissions.finished.map { $0.refusal == nil } == [false, true, false, true])
    #expect(submissions.finished[2].refusal == "data is wrong")
  }

  @Test func `H6: an event that is too large to be read is refused`() throws {
    let waiting = [submission(1), Submission(number: 2, at: Instant(milliseconds: 0), text: nil)]
    let submissions = Submissions(
      waiting, planner: try Fixtures.smartPlanner(), now: Instant(milliseconds: 1_000))
    #expect(submissions.events.map(\.identifier) == ["1"])
    #expect(
      submissions.finished.map(\.refusal) == [
        "the event has more than 1048576 bytes; submit a smaller one"
      ])
  }

  @Test func `H6: a poll that reaches its byte limit is repeated at once`() {
    let now = Instant(milliseconds: 1_000)
    var poll = SubmissionPoll()
    poll.begin(at: now)
    let large = String(repeating: " ", count: SubmissionPoll.bytesMax)
    poll.recordPoll(at: now, found: [submission(1, large)])
    #expect(poll.wake == now)
    poll.recordPoll(at: now, found: [submission(1)])
    #expect(poll.wake == now + .milliseconds(250))
  }

  /// Rule G5: the app does not learn of a copy that is refused.
  @Test func `refused copies are finished without a reason`() throws {
    let planner = try Fixtures.planner(catalog: Fixtures.visits)
    let event = try Fixtures.event(
      "1", "booked", of: "amina", at: utc("2026-03-02 09:00"),
      ["visit": "1", "at": "2026-03-02T10:00:00Z", "carer": "carla"], planner: planner)
    let text = try #require(event.copies.first).copyText
    let waiting = (1...3).map { number in
      Submission(number: number, at: Instant(milliseconds: 0), text: text, isCopy: true)
    }
    var submissions = Submissions(waiting, planner: planner, now: Instant(milliseconds: 0))
    #expect(submissions.events.map(\.recipient) == ["carla", "carla", "carla"])
    submissions.settle([.accepted, .refused(Refusal(path: "time", "is old")), .elsewhere(shard: 1)])
    #expect(submissions.finished == [1, 2].map { FinishedSubmission(number: $0) })
  }
}
