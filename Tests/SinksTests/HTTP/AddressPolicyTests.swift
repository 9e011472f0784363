import Sinks
import Testing

/// The addresses to which sinks may connect.
@Suite struct AddressPolicyTests {
  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1",
    "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
    "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
    "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
  ])
  func `IPv4 addresses that are not public are refused`(text: String) throws {
    let policy = AddressPolicy()
    #expect(try !policy.permits(#require(NetworkAddress(text))))
    #expect(try !policy.permits(#require(NetworkAddress("::ffff:\(text)"))))
    #expect(try !policy.permits(#require(NetworkAddress("64:ff9b::\(text)"))))
  }

  @Test(arguments: [
    "::", "::1", "::7f00:1", "::127.0.0.1", "64:ff9b:1::a00:1", "100::1", "2001::1", "2001:db8::1",
    "2002:7f00:1::", "3ffe::1", "3fff:1::1", "4000::1", "5f00::1", "fc00::1", "fd12:3456::1",
    "fe80::1", "fec0::1", "ff02::1", "ff0e::1",
  ])
  func `IPv6 addresses that are not public are refused`(text: String) throws {
    #expect(try !AddressPolicy().permits(#require(NetworkAddress(text))))
  }

  @Test(arguments: [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255",
    "172.32.0.0", "192.0.1.0", "223.255.255.255", "2606:4700::1111", "2a00:1450::1",
    "2001:200::1", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1",
  ])
  func `public addresses are permitted`(text: String) throws {
    #expect(try AddressPolicy().permits(#require(NetworkAddress(text))))
  }

  @Test func `addresses that are not public are permitted only if allowed`() throws {
    let policy = AddressPolicy(
      allowed: ["127.0.0.0/8", "10.1.0.0/16", "fd00::/8"].compactMap(Network.init))
    #expect(policy.allowed.count == 3)
    for text in ["127.0.0.1", "10.1.255.255", "fd00::1", "::ffff:127.0.0.1", "8.8.8.8"] {
      #expect(try policy.permits(#require(NetworkAddress(text))), "\(text)")
    }
    for text in ["10.2.0.0", "10.0.255.255", "::1", "fc00::1", "192.168.0.1"] {
      #expect(try !policy.permits(#require(NetworkAddress(text))), "\(text)")
    }
  }

  @Test(arguments: ["0.0.0.0/0", "192.0.2.7/32", "::/0", "2001:db8::/32", "::1/128"])
  func `a network is read`(text: String) {
    #expect(Network(text) != nil)
  }

  @Test(arguments: [
    "", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0/8", "10.0.0.0/+8",
    "10.0.0.0/-1", "::/129", "::1/64", "example.com/8", "10.0.0.0/8/8", "010.0.0.0/8",
    "10.0.0.0/99999999999999999999",
  ])
  func `an invalid network is not read`(text: String) {
    #expect(Network(text) == nil)
  }

  @Test(arguments: ["192.0.2.1", "2001:db8::1", "::", "::1", "fe80::1:2"])
  func `an address is written as it is read`(text: String) {
    #expect(NetworkAddress(text)?.description == text)
  }

  @Test(arguments: ["", "1", "1.2.3", "1.2.3.4.5", "0x7f.0.0.1", "1.2.3.4 ", "fe80::1%lo", "a"])
  func `an invalid address is not read`(text: String) {
    #expect(NetworkAddress(text) == nil)
  }
}
