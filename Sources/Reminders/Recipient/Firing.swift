package import CivilTime

/// What came of an occurrence when its instant had come.
package struct Firing: Hashable, Sendable {
  package enum Result: Hashable, Sendable {
    case settled(Outcome)
    case held(until: Instant)
  }

  package var reminder: Symbol
  package var key: Int64
  package var planned: Instant
  package var at: Instant
  package var result: Result
  package var trace: GateTrace
  package var channels: ChannelSet
  /// Which of the reminder's messages, and the number it speaks of.
  package var message: UInt8
  package var number: Int64?
}
