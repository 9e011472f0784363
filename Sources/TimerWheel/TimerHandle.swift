/// What `TimerWheel.insert` returns and `TimerWheel.cancel` takes: a timer's name, never used
/// for another timer of the same wheel.
package struct TimerHandle: Hashable, Sendable {
  package let index: UInt32
  let generation: UInt32
}
