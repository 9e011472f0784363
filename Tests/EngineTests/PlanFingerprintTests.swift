import Engine
import Testing

/// Rules T1 and T5: the zones, default zone and catalogs that nodes plan with.
@Suite struct PlanFingerprintTests {
  private func differences(_ texts: String...) -> [PlanFingerprint.Part] {
    PlanFingerprint.differences(of: texts.compactMap { PlanFingerprint($0) })
  }

  @Test func `the differences between nodes are listed`() {
    #expect(differences("2026f UTC f").isEmpty)
    #expect(differences("2026f UTC f", "2026f UTC f").isEmpty)
    #expect(differences("2026f UTC f", "2025b UTC f") == [.zones])
    #expect(
      differences("2026f UTC f", "2026f Asia/Riyadh f", "2026f UTC e0") == [
        .defaultZone, .catalogs,
      ])
    #expect(differences("2026f UTC a", "2025b Asia/Riyadh b") == PlanFingerprint.Part.allCases)
  }

  @Test(arguments: ["2026f UTC 1f", "of 2026-11-01 10:00 UTC 1f", " UTC 1f"])
  func `a fingerprint is read as it was written`(text: String) {
    #expect(PlanFingerprint(text)?.description == text)
  }

  @Test func `an incomplete text is not a fingerprint`() {
    #expect(PlanFingerprint("") == nil && PlanFingerprint("2026f UTC") == nil)
  }
}
