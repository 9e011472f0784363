import Glibc

/// The seed of random tests: `CHIMED_SEED` if it is set, else a random number.
enum Seed {
  static var value: UInt64 {
    getenv("CHIMED_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 0...999_999)
  }
}
