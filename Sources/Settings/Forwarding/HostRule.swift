/// What happens to connections of forward proxies to certain hosts; of several rules the first that matches counts.
package struct HostRule: Hashable, Sendable {
  package enum Use: Hashable, Sendable {
    /// Under this profile, whichever the proxy is under.
    case profile(String)
    /// Without any profile or toxic.
    case direct
    /// Refused.
    case deny
  }

  package var host: HostPattern
  package var use: Use

  package init(host: HostPattern, use: Use) {
    (self.host, self.use) = (host, use)
  }
}
