-- Publication patients of the demo's hospital, as most tests of pages have it.
SELECT pprepub.create_taxonomy('world', 'hospital.country_levels');
SELECT pprepub.create_publication('patients', 'hospital.patients', 'id',
	'{"age": "range", "zip": "prefix", "country": "taxonomy world", "sex": "suppress"}', 'disease', 'bpg', '{"k": 10, "l": 3}');
