import Delivery
import Glibc

/// Writes lines to a descriptor of any kind.
enum LineWriting {
  /// - Parameter written: how many bytes have been written, whatever happens.
  static func write(
    _ bytes: [UInt8], to descriptor: Int32, written: inout Int
  ) throws(SinkOutage) {
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { rest in
        Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        throw SinkOutage("writing failed: \(String(cString: strerror(errno)))")
      }
    }
  }

  /// Whether a line is not complete once so much has been written.
  static func isTorn(_ bytes: [UInt8], _ written: Int, _ wasTorn: Bool) -> Bool {
    written == 0 ? wasTorn : bytes[written - 1] != UInt8(ascii: "\n")
  }
}
