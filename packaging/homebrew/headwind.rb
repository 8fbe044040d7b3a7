# Builds Headwind from a clone, with Homebrew. There is no release to fetch yet, so there is only `head`, and the address of
# the repository is the installer's to say: HOMEBREW_HEADWIND_REPOSITORY, a URL or the path of a clone (docs/install.md).
#
# At a release: `url` and `sha256` of its source archive instead, a real `homepage`, and no environment variable.
class Headwind < Formula
  desc "Proxy that makes TCP connections as bad as a mobile network"
  homepage "https://headwind.invalid/"
  license "Apache-2.0"
  head ENV.fetch("HOMEBREW_HEADWIND_REPOSITORY", "https://headwind.invalid/headwind.git"), using: :git, branch: "main"

  depends_on "pkg-config" => :build
  depends_on xcode: ["26.0", :build] if OS.mac? # Swift 6.2
  depends_on "libevent"
  depends_on macos: :sequoia

  def install
    # Homebrew builds in a sandbox, and SwiftPM's own does not start inside it.
    system "swift", "build", "--disable-sandbox", "--configuration", "release", "--product", "headwind"
    bin.install ".build/release/headwind"
    (man1/"headwind.1").write Utils.safe_popen_read(bin/"headwind", "man")
    generate_completions_from_executable(bin/"headwind", "completions")
    pkgshare.install "Profiles" => "profiles"
    (etc/"headwind").install "packaging/debian/headwind.json"
  end

  service do
    run [opt_bin/"headwind", "serve", "--config", etc/"headwind/headwind.json"]
    keep_alive successful_exit: false
    log_path var/"log/headwind.log"
    error_log_path var/"log/headwind.log"
    process_type :interactive
  end

  test do
    assert_match "headwind #{version}", shell_output("#{bin}/headwind --version") unless head?
    assert_match "ok: 0 proxies", shell_output("#{bin}/headwind check-config #{etc}/headwind/headwind.json")
    assert_match "100000 bytes", shell_output("#{bin}/headwind demo lte")
  end
end
