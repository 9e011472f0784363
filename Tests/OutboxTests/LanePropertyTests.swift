import Testing

/// Compares a lane with a list of expected deliveries, in random programs of offers, reads, answers
/// and outages.
@Suite struct LanePropertyTests {
  @Test(arguments: Seeds.all)
  func `D1: every delivery is dispatched once and in order`(seed: UInt64) {
    for round: UInt64 in 0..<100 {
      var model = LaneModel(seed: seed &+ round, outages: 0)
      model.run(steps: 200)
      #expect(model.faults == [], "seed \(seed), round \(round)")
      #expect(model.dispatched == model.recorded, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: Seeds.all)
  func `D1: outages lose nothing and keep the order`(seed: UInt64) {
    var roundsWithRepetition = 0
    for round: UInt64 in 0..<100 {
      var model = LaneModel(seed: seed &+ round, outages: 30)
      model.run(steps: 200)
      #expect(model.faults == [], "seed \(seed), round \(round)")
      #expect(model.answered == model.recorded, "seed \(seed), round \(round)")
      roundsWithRepetition += model.dispatched.count > model.recorded.count ? 1 : 0
    }
    #expect(roundsWithRepetition > 50)
  }

  @Test(arguments: Seeds.all)
  func `V7: deliveries that the gates stop are not sent`(seed: UInt64) {
    for round: UInt64 in 0..<100 {
      var model = LaneModel(seed: seed &+ round, outages: 20, holds: 30)
      model.run(steps: 200)
      #expect(model.faults == [], "seed \(seed), round \(round)")
      let finished = Set(model.answered + model.stoppedByGates)
      #expect(finished == Set(model.recorded), "seed \(seed), round \(round)")
      #expect(model.answered.count + model.stoppedByGates.count == model.recorded.count)
    }
  }

  @Test(arguments: Seeds.all)
  func `D3: retries and a rate limit lose nothing and keep the order`(seed: UInt64) {
    var retried = 0
    for round: UInt64 in 0..<100 {
      var model = LaneModel(seed: seed &+ round, outages: 20, holds: 10, retries: 30, rate: 40)
      model.run(steps: 200)
      #expect(model.faults == [], "seed \(seed), round \(round)")
      #expect(model.answered.count + model.stoppedByGates.count == model.recorded.count)
      retried += model.retried
    }
    #expect(retried > 100)
  }

  @Test func `a lane of small capacity reads from the store`() {
    var model = LaneModel(seed: 1, outages: 10)
    model.run(steps: 400)
    #expect(model.reads > 5)
  }
}
