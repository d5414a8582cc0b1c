# The formula of Homebrew, which builds Waybill from the tag of its release. docs/install.md has the commands that use it.
class Waybill < Formula
  desc "Runs HTTP requests that are declared in YAML"
  homepage "https://github.com/OWNER/waybill"
  url "https://github.com/OWNER/waybill.git", tag: "v0.2.0"
  license "MIT"
  head "https://github.com/OWNER/waybill.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on "brotli"
  depends_on "curl"
  depends_on "libidn2"
  depends_on "libmicrohttpd"
  depends_on "libyaml"
  depends_on macos: :sequoia
  depends_on "nettle"
  depends_on "sqlite"
  depends_on "zstd"

  uses_from_macos "python" => :build
  uses_from_macos "swift" => :build
  uses_from_macos "libxml2"
  uses_from_macos "zlib"

  on_macos do
    depends_on xcode: ["26.0", :build]
  end

  def install
    # The packages and versions of the release. SwiftPM's own sandbox cannot be used inside that of Homebrew.
    ENV["SCRATCH"] = ".build"
    system "scripts/release/resolve.sh", buildpath/"packages.json", "--disable-sandbox"
    system "swift", "build", "--force-resolved-versions", "--disable-sandbox", "--configuration", "release",
           "--product", "waybill"
    bin.install ".build/release/waybill"

    system "python3", "scripts/release/man-pages.py", bin/"waybill", man1
    generate_completions_from_executable(bin/"waybill", "completions")
    (pkgshare/"schemas").install Dir["schemas/*.schema.json"]
    (pkgshare/"examples").install Dir["manifests/*"]
    doc.install "docs"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/waybill --version") unless head?
    system bin/"waybill", "run", pkgshare/"examples/quickstart.yaml", "--mock"
    assert_path_exists testpath/"waybill-results/latest/run.json"
  end
end
