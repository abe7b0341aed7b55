-- The most memory that this session has had so far, without what it touched of shared buffers.
CREATE FUNCTION peak_bytes() RETURNS float8 LANGUAGE sql VOLATILE AS $$
	SELECT ((regexp_match(status, 'VmHWM:\s+(\d+) kB'))[1]::float8 - (regexp_match(status, 'RssShmem:\s+(\d+) kB'))[1]::float8) * 1024
	FROM pg_read_file('/proc/self/status') status
$$;
