import TestSupport

/// The certificates of nodes on this machine.
enum NodeCertificates {
  private static let script = """
    exec 2>"$1/messages"
    cd "$1"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \\
      -subj '/CN=chimed fleet' -keyout authority.key -out authority.pem
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=node \\
      -addext 'subjectAltName=IP:127.0.0.1' -addext 'extendedKeyUsage=serverAuth,clientAuth' \\
      -keyout node.key -out node.csr
    openssl x509 -req -in node.csr -copy_extensions copy -days 2 -CA authority.pem \\
      -CAkey authority.key -out node.pem
    shift
    for directory; do cp authority.pem node.pem node.key "$directory"; done
    """

  /// Writes `authority.pem`, `node.pem` and `node.key` into each directory.
  ///
  /// - Parameter directories: at least one.
  static func write(to directories: [String]) throws {
    let shell = try ChildProcess(
      "/bin/sh", ["-e", "-c", script, "sh"] + directories)
    guard try shell.finish() == .exited(0) else { throw Failure("no certificates could be made") }
  }
}
