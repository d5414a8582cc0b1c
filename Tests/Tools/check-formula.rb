# check-formula.rb FORMULA FOLDER [WAYBILL]: executes the install steps and the test of a Homebrew formula with a stand-in for
# Homebrew, which has as much of its language as the formula uses. The current folder is the unpacked source; what is installed goes
# to FOLDER. With WAYBILL, 'swift build' only puts that executable where the build would.
require "fileutils"
require "pathname"

formula, folder, program = ARGV
PREFIX = Pathname(folder).expand_path
PROGRAM = program && Pathname(program).expand_path

# Pathname with Homebrew's method.
class Pathname
  def install(*sources)
    mkpath
    sources.flatten.each { |source| FileUtils.cp_r(source, self) }
  end
end

# A formula: the class has its declarations, an instance its steps.
class Formula
  class << self
    attr_reader :declared

    def inherited(formula) = formula.instance_variable_set(:@declared, Hash.new { |hash, key| hash[key] = [] })
    def on_macos = yield
    def test(&steps) = define_method(:run_test, &steps)

    %i[desc homepage url license head depends_on uses_from_macos].each do |name|
      define_method(name) { |*values, **options| declared[name] << [*values, options] }
    end
  end

  def prefix = PREFIX
  def bin = prefix/"bin"
  def man1 = prefix/"share/man/man1"
  def pkgshare = prefix/"share/waybill"
  def doc = prefix/"share/doc/waybill"
  def buildpath = @buildpath ||= Pathname.pwd
  def testpath = prefix/"test"
  def version = self.class.declared[:url][0].last[:tag].delete_prefix("v")

  # Whether what is built is not the tag of the formula.
  def head? = !File.read("#{__dir__}/../../Sources/WaybillRuntime/WaybillVersion.swift").include?("\"#{version}\"")

  def system(*words)
    words = words.map(&:to_s)
    if PROGRAM && words.first(2) == %w[swift build]
      (buildpath/".build/release").mkpath
      FileUtils.cp(PROGRAM, buildpath/".build/release/waybill")
    else
      Kernel.system(*words) or abort "failed: #{words.join(" ")}"
    end
  end

  def generate_completions_from_executable(*words)
    { bash: "etc/bash_completion.d/waybill", zsh: "share/zsh/site-functions/_waybill",
      fish: "share/fish/vendor_completions.d/waybill.fish" }.each do |shell, path|
      (prefix/path).dirname.mkpath
      (prefix/path).write(shell_output([*words, shell].join(" ")))
    end
  end

  def shell_output(command)
    output = `#{command}`
    $?.success? ? output : abort("failed: #{command}")
  end

  def assert_match(expected, text) = text.include?(expected) || abort("failed: '#{expected}' is not in '#{text}'")
  def assert_path_exists(path) = path.exist? || abort("failed: #{path} does not exist")
end

load formula
declared = Waybill.declared
# CI installs the same libraries on a Mac.
line = File.read("#{__dir__}/../../.github/workflows/ci.yml")[/brew install --quiet (.*)$/, 1]
# A dependency is a name, or a name with its kind, such as "pkgconf" => :build.
names = (declared[:depends_on] + declared[:uses_from_macos]).map { |name, options| name || options.keys.first }
names.map! { |name| (name.is_a?(Hash) ? name.keys.first : name).to_s }
missing = line.split - names
abort "failed: the formula does not depend on #{missing.join(", ")}" unless missing.empty?

instance = Waybill.new
instance.install
instance.testpath.mkpath
Dir.chdir(instance.testpath) { instance.run_test }
FileUtils.rm_r(instance.testpath)
