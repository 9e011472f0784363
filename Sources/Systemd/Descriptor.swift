import Glibc

/// An open file descriptor, which is closed when this object is released.
package final class Descriptor: Sendable {
  package let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  deinit { close(number) }
}
