# The extension stands outside the server's own directories, as images of extensions are mounted, and the server has no other:
# it is found, loaded by sessions and by workers that answer, updated, dumped and restored.
use Hospital;

my ($major) = `pg_config --version` =~ /(\d+)/;
plan skip_all => "extension_control_path came with PostgreSQL 18, and this is $major" if $major < 18;

# An installation like the one at hand, without pprepub.  Programs find their files from where they lie.
my $lies = PostgreSQL::Test::Utils::tempdir;
chomp(my ($lib, $share, $bin) = map { `pg_config --$_` } qw(pkglibdir sharedir bindir));
my ($prefix) = $bin =~ m{^(.*)/lib/postgresql/\d+/bin$} or die $bin;
system_or_bail('sh', '-c', <<'SH', 'sh', $prefix, $lies, $bin, $lib, $share);
set -e
prefix=$1 lies=$2
cd "$prefix"
mkdir -p "$lies${4#$prefix}" "$lies${5#$prefix}/extension"
cp -a "$3" "$lies${3#$prefix}"
for each in "$4"/* "$5"/* "$5"/extension/* include share/zoneinfo share/locale; do
	there=$lies/${each#$prefix/}
	case ${each##*/} in pprepub*) ;; *) [ -e "$there" ] || ln -s "$(realpath "$each")" "$there" ;; esac
done
SH

# As Containerfile.extension copies it.
my $image = "$lies/image";
system_or_bail('sh', '-c', 'mkdir -p "$1/lib" "$1/share/extension" && cp "$2"/pprepub* "$1/lib" && cp "$3"/extension/pprepub* "$1/share/extension"',
	'sh', $image, $lib, $share);

my $node = PostgreSQL::Test::Cluster->new('main', install_path => "$lies/lib/postgresql/$major");
$node->init(extra => [ '-E', 'UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "log_statement = none\njit = off");
$node->start;
fails_like($node, 'postgres', 'CREATE EXTENSION pprepub', qr/extension "pprepub" is not available/, 'the server has no pprepub');
$node->append_conf('postgresql.conf', "extension_control_path = '\$system:$image/share'");
$node->reload;
fails_like($node, 'postgres', 'CREATE EXTENSION pprepub', qr/could not access file "pprepub"/, 'nor its library');
$node->append_conf('postgresql.conf', "dynamic_library_path = '\$libdir:$image/lib'");
$node->reload;

sub ask { return $node->safe_psql($_[1] // 'postgres', $_[0]) }

make_patients($node, 'postgres', 1000);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
is(ask(q{SET ROLE owner; SELECT rows FROM pprepub.publish('patients')}), 1000, 'a release');
is(ask('SELECT amname FROM pg_class JOIN pg_am a ON a.oid = relam WHERE pg_class.oid = \'published.patients_1\'::regclass'), 'pprepub', 'in our storage');
is(ask('SELECT count(*) > 900 FROM published.patients_now'), 't', 'a worker answers');
is(ask(q{LOAD 'pprepub'; SELECT count(*) FROM pprepub.audit('patients') WHERE NOT holds}), 0, 'a session that loads it by name');

my $before = everything($node, 'postgres');
foreach my $format (qw(plain custom))
{
	same_everything(everything($node, restored($node, $format)), $before, "$format: all is there again");
}
is(ask(q{SET ROLE owner; SELECT pprepub.acknowledge_history('patients'); SELECT count(*) > 900 FROM published.patients_now}, 'restored_postgres_plain'), "\nt",
	'and goes on there');

# The next image lies elsewhere, and has a later version.
rename $image, "$lies/next" or die $!;
my $extension = "$lies/next/share/extension";
append_to_file("$extension/pprepub.control", "default_version = '1.0.0.1'\n");
append_to_file("$extension/pprepub--1.0.0--1.0.0.1.sql", "COMMENT ON FUNCTION pprepub.publish(text, text, name[]) IS 'newer';\n");
$node->append_conf('postgresql.conf', "extension_control_path = '\$system:$lies/next/share'\ndynamic_library_path = '\$libdir:$lies/next/lib'");
$node->restart;
is(ask(q{SET ROLE owner; SELECT count(*) FROM pprepub.audit('patients') WHERE NOT holds; SELECT count(*) > 900 FROM published.patients_now}), "0\nt", 'all goes on');
is(ask('ALTER EXTENSION pprepub UPDATE; SELECT extversion FROM pg_extension WHERE extname = \'pprepub\''), '1.0.0.1', 'an update');
is(ask(q{SELECT obj_description('pprepub.publish'::regproc)}), 'newer', 'which was run');
$node->stop;
done_testing();
