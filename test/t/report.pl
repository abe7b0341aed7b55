# The page of report() in a real browser: it says what it should to eyes and to screen readers, on a phone, in the dark, and on paper.
use Browser;
use Hospital;

plan skip_all => 'there is no Chromium' if !Browser::program();

my $node = new_server('main');
my $directory = PostgreSQL::Test::Utils::tempdir;

# The demo's hospital, some weeks later; with names that are markup.
$node->safe_psql('postgres', "CREATE EXTENSION pprepub;\n" . slurp_file('test/data/hospital.sql') . <<'SQL' . slurp_file('test/data/declare.sql') . <<'WEEK');
UPDATE hospital.patients SET disease = '<b onclick="alert(1)">gout</b>' WHERE disease = 'epilepsy';
SQL
SELECT pprepub.publish('patients');
SELECT count(*) FROM published.patients_now WHERE sex = 'F';
WEEK
foreach my $week (2 .. 3)
{
	$node->safe_psql('postgres', "CALL hospital.pass_week($week); SELECT pprepub.publish('patients')");
}

# An import that keeps no promise
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE hospital.guests AS TABLE hospital.patients;
ALTER TABLE hospital.guests ADD PRIMARY KEY (id);
CREATE TABLE hospital.elsewhere AS SELECT id, int4range(age / 5 * 5, age / 5 * 5 + 5) AS age, sex, disease FROM hospital.guests;
SELECT pprepub.create_publication('guests', 'hospital.guests', 'id', '{"age": "range", "sex": "suppress"}', 'disease', 'bpg', '{"k": 40, "l": 3}');
SELECT pprepub.import_release('guests', 'hospital.elsewhere', 'id');
SQL

# psql writes the page as the README says, in a client encoding that cannot write all characters.
sub page_of
{
	my ($publication, $arguments) = @_;
	my $file = "$directory/$publication.html";

	$node->command_ok([ 'psql', '-XAtq', '-d', 'postgres', '-o', $file, '-c', "SET client_encoding = 'LATIN1'", '-c', "SELECT pprepub.report($arguments)" ], "$publication: a file");
	return $file;
}

my $browser = Browser->new;

# The smallest contrast of any text with what is behind it.
my $contrast = <<'JS';
(() => {
	const parse = c => c.match(/[\d.]+/g).map(Number);
	const channel = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
	const paper = light(parse(getComputedStyle(document.body).backgroundColor));
	let least = 21;
	for (const e of document.querySelectorAll('body *')) {
		if (e.tagName === 'desc' || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
		const style = getComputedStyle(e);
		const ink = light(parse(e instanceof SVGElement ? style.fill : style.color));
		least = Math.min(least, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05));
	}
	return least;
})()
JS

sub looks_well
{
	my ($publication, $file) = @_;

	foreach my $width (360, 1000)
	{
		$browser->open_page($file, $width, 800);
		is($browser->value('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0, "$publication: nothing sticks out at $width pixels");
	}
	foreach my $scheme (qw(light dark))
	{
		$browser->media($scheme);
		cmp_ok($browser->value($contrast), '>=', 4.5, "$publication: $scheme text can be read");
	}
	is($browser->value(q{getComputedStyle(document.body).backgroundColor}), 'rgb(22, 22, 22)', "$publication: dark is dark");
	$browser->media('light');
	is($browser->value(q{document.querySelectorAll('script, img, link, iframe, object').length + performance.getEntriesByType('resource').length}), 0,
		"$publication: one file, no script");
	is($browser->value(q{[...document.querySelectorAll('[id]')].length - new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size}), 0, "$publication: each id once");
	is($browser->value(q{document.querySelectorAll('parsererror').length}), 0, "$publication: no error of a parser");

	my $png = $browser->screenshot;
	my ($width, $height) = unpack 'x16NN', $png;
	ok($width >= 980 && $height > 1500 && length $png > 50_000, "$publication: a picture of $width x $height");
	my $pdf = $browser->pdf;
	like($pdf, qr/^%PDF/, "$publication: prints");
	my %sizes = map { $_ => 1 } $pdf =~ /MediaBox\s*\[([^\]]*)\]/g;
	ok((!grep { !/^0 0 59[45](?:\.\d+)? 84[12](?:\.\d+)?$/ } keys %sizes), "$publication: on A4") or diag(join ', ', keys %sizes);
	return;
}

sub told
{
	my @nodes = $browser->accessible;

	return join "\n", map { "$_->[0]: $_->[1]" } @nodes;
}

my $file = page_of('patients', q{'patients'});
looks_well('patients', $file);
my $told = told();
like($told, qr/^heading: Report of publication patients$/m, 'a screen reader is told the heading');
like($told, qr/^heading: $_$/m, "and of \"$_\"") foreach 'Verdict', 'What was promised', 'Releases of everybody', 'How many people cannot be told apart', 'Sensitive values of the last releases',
	'How far releases can be joined back to people', 'Who asked for answers', 'What is not promised', 'What this page was computed from', 'Signature';
like($told, qr/^StaticText: All \d+ checks hold\.$/m, 'the verdict');
like($told, qr/^(?:image|img): Rows of releases of everybody rows: \d+ in the last of 3\.$/m, 'each chart has words');
unlike($told, qr/^(?:image|img): *$/m, 'and none has no name');
like($told, qr/^(?:rowheader|columnheader|cell|gridcell): <b onclick="alert\(1\)">gout<\/b>$/m, 'a value that is markup is text');
is($browser->value('document.querySelectorAll("b, [onclick]").length'), 0, 'and nothing else');

$file = "$directory/explore.html";
append_to_file($file, $node->safe_psql('postgres', q{SELECT pprepub.explore('patients', '{"k": [5, 10, 3000], "reserve": [1, 2, 4, 8], "<b>": ["<i>"]}')}));
looks_well('explore', $file);
like(told(), qr/^(?:image|img): Lost in cells, withheld and invented: less is better now: [\d.]+%\.$/m, 'the chart of settings has words');

$file = page_of('guests', q{'guests'});
looks_well('guests', $file);
like(told(), qr/^StaticText: Do not sign: \d+ of \d+ checks fail\.$/m, 'a page that says no');

$file = page_of('internal', q{'patients', true});
looks_well('internal', $file);
like(told(), qr/^heading: People at risk \(internal: do not pass on\)$/m, 'an internal page says so');

# Databases of other encodings, and one whose bytes mean nothing: the page is ASCII all the same.
foreach my $encoding (qw(LATIN1 SQL_ASCII))
{
	my $database = lc $encoding;

	$node->safe_psql('postgres', "CREATE DATABASE $database ENCODING '$encoding' TEMPLATE template0 LOCALE 'C'");
	$node->safe_psql($database, <<'SQL');
SET client_encoding = 'SQL_ASCII';
CREATE EXTENSION pprepub;
CREATE TABLE people AS SELECT i AS id, i % 9 AS age, CASE WHEN i % 2 = 0 THEN convert_from('\xe4'::bytea, getdatabaseencoding()) ELSE 'b' END AS ill FROM generate_series(1, 90) i;
ALTER TABLE people ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5}');
SELECT pprepub.publish('people');
SQL
	my $page = $node->safe_psql($database, q{SELECT pprepub.report('people')});
	unlike($page, qr/[^\x0a\x20-\x7e]/, "$encoding: ASCII alone");
	like($page, $encoding eq 'LATIN1' ? qr/&#xE4;/ : qr/&#xFFFD;/, "$encoding: a character as it is, or none");
}

undef $browser;
$node->stop;
done_testing();
