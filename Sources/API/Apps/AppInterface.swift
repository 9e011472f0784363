/// The interface of an app that has its own paths and envelopes beside those under `/v1` (rule
/// H21).
package enum AppInterface: String, CaseIterable, Sendable {
  case urbannest, rooms
}
