# As in nixpkgs, pkgs/servers/sql/postgresql/ext: nixpkgs' callPackage gives the arguments.
{
  lib,
  fetchgit,
  icu,
  zstd,
  postgresql,
  postgresqlBuildExtension,
}:

postgresqlBuildExtension (finalAttrs: {
  pname = "pprepub";
  version = "1.0.0";

  src = fetchgit {
    url = "https://pprepub.invalid/pprepub.git";
    tag = finalAttrs.version;
    # A first build says which one it is.
    hash = lib.fakeHash;
  };

  buildInputs = [
    icu
    zstd
  ];

  meta = {
    description = "PostgreSQL extension that publishes personal data again and again, safely together";
    homepage = "https://pprepub.invalid/pprepub";
    changelog = "https://pprepub.invalid/pprepub/blob/${finalAttrs.version}/CHANGELOG.md";
    license = lib.licenses.postgresql;
    platforms = postgresql.meta.platforms;
    maintainers = [ ];
  };
})
