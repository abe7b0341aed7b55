# A formula for a tap of Homebrew.
class Pprepub < Formula
  desc "Publish personal data again and again, safely together, from PostgreSQL"
  homepage "https://pprepub.invalid/pprepub"
  url "https://pprepub.invalid/pprepub.git", tag: "1.0.0"
  license "PostgreSQL"

  depends_on "icu4c@78" => :build
  depends_on "postgresql@18"
  depends_on "zstd"

  def postgresql
    Formula["postgresql@18"]
  end

  def install
    system "make", "PG_CONFIG=#{postgresql.opt_bin}/pg_config"
    system "make", "install", "PG_CONFIG=#{postgresql.opt_bin}/pg_config",
                              "pkglibdir=#{lib/postgresql.name}",
                              "datadir=#{share/postgresql.name}"
  end

  test do
    ENV["LC_ALL"] = "C"
    port = free_port
    data = testpath/"data"
    system postgresql.opt_bin/"initdb", "-D", data
    system postgresql.opt_bin/"pg_ctl", "-w", "-D", data, "-o", "-p #{port}", "-l", testpath/"log", "start"
    begin
      system postgresql.opt_bin/"psql", "-p", port.to_s, "-c", "CREATE EXTENSION pprepub", "postgres"
    ensure
      system postgresql.opt_bin/"pg_ctl", "-D", data, "stop"
    end
  end
end
