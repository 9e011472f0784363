/// The error of a query without a result, because a loop of planning exceeded its bound.
package struct UnfinishedPlan: Error, Hashable, CustomStringConvertible {
  /// The id of the recipient whose planning was stopped.
  package let recipient: String
  /// The loop that exceeded its bound.
  package let overrun: PlanningOverrun

  package init(recipient: String, overrun: PlanningOverrun) {
    (self.recipient, self.overrun) = (recipient, overrun)
  }

  package var description: String {
    "\"\(recipient)\" has no answer: \(overrun); report it as a fault of chimed, with the "
      + "recipient's events and the catalog"
  }
}

extension Recipient {
  /// Answers a query by planning. Returns a failure if a loop was cut short, because the answer
  /// would be incomplete.
  package func answer<Answer, Failure>(
    _ body: (Recipient) throws(Failure) -> Answer
  ) throws(Failure) -> Result<Answer, UnfinishedPlan> {
    let recorder = PlanningOverrun.Recorder()
    var result: Result<Answer, Failure>?
    PlanningOverrun.$recorder.withValue(recorder) {
      result = Result { () throws(Failure) -> Answer in try body(self) }
    }
    if let overrun = recorder.take() {
      return .failure(UnfinishedPlan(recipient: name, overrun: overrun))
    }
    guard let result else {
      return .failure(UnfinishedPlan(recipient: name, overrun: PlanningOverrun(loop: "question")))
    }
    return .success(try result.get())
  }
}
