-- The role and the database of the nodes, on a primary server that has a standby already, and synchronous commits.
\set ON_ERROR_STOP on
-- Without a password: the server's socket admits the system's user of this name. As a member of pg_monitor it sees whether the
-- standby is connected.
CREATE ROLE lienbook LOGIN IN ROLE pg_monitor;
CREATE DATABASE lienbook OWNER lienbook TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C';
-- From now on a commit is answered once a standby has it, too.
ALTER SYSTEM SET synchronous_standby_names = '*';
SELECT pg_reload_conf();
-- The same for the standby, where it holds once that one is promoted.
\connect postgres postgres - 5433
ALTER SYSTEM SET synchronous_standby_names = '*';
SELECT pg_reload_conf();
