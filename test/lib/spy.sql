-- A function that notes in public.known as whom it was called, and tries to become a superuser: a hostile view calls it.
--
--	known(who, super), spy()
CREATE TABLE known (who text COLLATE "C", super boolean);
CREATE FUNCTION spy() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.known SELECT current_user, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
	BEGIN
		EXECUTE 'SET ROLE postgres';
		INSERT INTO public.known VALUES ('became ' || current_user, true);
	EXCEPTION WHEN OTHERS THEN NULL;
	END;
	RETURN true;
END $$;
