import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// What becomes of the events that apps have left in the store.
@Suite struct SubmissionTests {
  private func submission(_ number: Int64, _ text: String? = nil) -> Submission {
    let event = """
      {"specversion": "1.0", "id": "\(number)", "source": "shop", "type": "relapse", \
      "subject": "amina"}
      """
    return Submission(number: number, at: Instant(milliseconds: 0), text: text ?? event)
  }

  @Test func onlyWhatIsTakenInOrRefusedIsDoneWith() throws {
    let waiting =
      [submission(1), submission(2, "rubbish"), submission(3), submission(4)]
      + [submission(5)]
    var submissions = Submissions(
      waiting, planner: try Fixtures.crowdPlanner(), now: Instant(milliseconds: 1_000))
    #expect(submissions.events.map(\.identifier) == ["1", "3", "4", "5"])
    #expect(submissions.settled.map(\.number) == [2])
    submissions.settle([
      .accepted, .elsewhere(shard: 3), .refused(Refusal(path: "data", "is wrong")), .duplicate,
    ])
    // What is another node's is there still when that one looks.
    #expect(submissions.settled.map(\.number) == [2, 1, 4, 5])
    #expect(submissions.settled.map { $0.refusal == nil } == [false, true, false, true])
    #expect(submissions.settled[2].refusal == "data is wrong")
  }
}
