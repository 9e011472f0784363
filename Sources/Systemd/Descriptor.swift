import Glibc

/// An open file, closed with this value.
package final class Descriptor: Sendable {
  package let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  deinit { close(number) }
}
