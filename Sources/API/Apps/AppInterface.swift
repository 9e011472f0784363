/// An interface with an app's own paths and envelopes, which is served beside `/v1` (rule H21).
package enum AppInterface: String, CaseIterable, Sendable {
  case urbannest, rooms
}
