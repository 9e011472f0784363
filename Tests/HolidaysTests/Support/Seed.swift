import Glibc

/// Where random tests begin: at another number each time, unless one is asked for.
enum Seed {
  static var value: UInt64 {
    getenv("CHIMED_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 0...999_999)
  }
}
