#!/bin/bash
# PostgreSQL of ../cluster.yaml, as user postgres. $NAME is who this is, $OTHER the one beside it.
#
#   postgres.sh             run as the primary, or as the standby that follows it
#   postgres.sh promote     make this one the primary, once the other one is dead
#   postgres.sh alone       let commits wait for nobody, until `postgres.sh strict`
#   postgres.sh strict      let commits wait for the standby again
#
# The file $ROLE, which both see, names the primary. It alone decides: who was the primary and is not named any more
# stops at once, and begins again as a standby with a new copy. This works since both are on one machine; on several,
# Patroni, CloudNativePG or a managed PostgreSQL decides in its place.
set -euo pipefail

ROLE=/var/lib/postgresql/primary
DATA=/var/lib/postgresql/data/pgdata
LOOK_SECONDS=1

say() { echo "$NAME: $*" >&2; }

primary() { cat "$ROLE" 2>/dev/null || true; }

name_primary() { # in one step: no reader finds half a name
    echo "$1" >"$ROLE.new"
    mv "$ROLE.new" "$ROLE"
}

# An empty database with its two roles. It is made elsewhere and moved, so that a kill leaves nothing that is half made.
initialise() {
    say "makes a new database"
    rm -rf "$DATA.new"
    initdb -D "$DATA.new" -U postgres --encoding=UTF8 --locale=C.UTF-8 --data-checksums \
        --auth-local=peer --auth-host=scram-sha-256 --no-instructions >/dev/null
    echo "host replication replicator samenet scram-sha-256" >>"$DATA.new/pg_hba.conf"
    echo "host memory memory samenet scram-sha-256" >>"$DATA.new/pg_hba.conf"
    cat >>"$DATA.new/postgresql.conf" <<-SETTINGS
		listen_addresses = '*'
		# A commit is answered once the standby has it on its disk, too. Without a standby it waits.
		synchronous_standby_names = 'ANY 1 (*)'
		wal_keep_size = 1GB
		shared_buffers = 256MB
		SETTINGS
    pg_ctl start -s -w -D "$DATA.new" -o "-c listen_addresses='' -c synchronous_standby_names=''"
    psql -q -v ON_ERROR_STOP=1 -v password="$DATABASE_PASSWORD" -v replication="$REPLICATION_PASSWORD" <<-'SQL'
		CREATE ROLE memory LOGIN PASSWORD :'password';
		CREATE ROLE replicator REPLICATION LOGIN PASSWORD :'replication';
		CREATE DATABASE memory OWNER memory;
		SQL
    pg_ctl stop -s -w -D "$DATA.new"
    mv "$DATA.new" "$DATA"
    name_primary "$NAME"
}

# A copy of the primary's data. What was here before is kept once, in $DATA.before.
copy_of_primary() {
    if [ -d "$DATA" ]; then
        rm -rf "$DATA.before"
        mv "$DATA" "$DATA.before"
    fi
    rm -rf "$DATA.new"
    until PGPASSWORD=$REPLICATION_PASSWORD pg_basebackup -D "$DATA.new" -h "$OTHER" -U replicator -R -X stream -c fast; do
        say "waits for $OTHER"
        rm -rf "$DATA.new"
        sleep "$LOOK_SECONDS"
    done
    mv "$DATA.new" "$DATA"
}

# Run until the server ends, or until it is the other one's turn.
serve() {
    local was_primary=no
    [ -f "$DATA/standby.signal" ] || was_primary=yes
    say "starts as the $([ $was_primary = yes ] && echo primary || echo standby)"
    postgres -D "$DATA" &
    local server=$!
    trap 'kill -INT $server 2>/dev/null || true' TERM INT
    while kill -0 $server 2>/dev/null; do
        if [ "$(primary)" = "$NAME" ]; then
            if [ -f "$DATA/standby.signal" ] && pg_isready -q; then
                pg_ctl promote -s -w -D "$DATA" && was_primary=yes
            fi
        elif [ $was_primary = yes ]; then
            say "is not the primary any more"
            kill -QUIT $server
            wait $server || true
            return 0
        fi
        sleep "$LOOK_SECONDS" &
        wait $! || true
    done
    wait $server # how it ended is how we end
    exit
}

run() {
    umask 077
    if [ "$NAME" = pg1 ] && [ -z "$(primary)" ]; then
        initialise
    fi
    until [ -n "$(primary)" ]; do sleep "$LOOK_SECONDS"; done
    while :; do
        if [ "$(primary)" != "$NAME" ] && [ ! -f "$DATA/standby.signal" ]; then
            copy_of_primary
        fi
        serve
    done
}

promote() {
    if [ "$(primary)" = "$NAME" ]; then
        say "is the primary already"
        exit 1
    fi
    if ! pg_isready -q; then
        say "has no copy that runs: it can not be the primary"
        exit 1
    fi
    if pg_isready -q -h "$OTHER" -t 2; then
        say "$OTHER answers: stop it first, so that there is one primary"
        exit 1
    fi
    set_standbys "ANY 1 (*)" # what this is a copy of may have been `alone` then
    name_primary "$NAME"
    until [ "$(psql -At -c 'SELECT pg_is_in_recovery()')" = f ]; do sleep 0.2; done
    say "is the primary. Its commits wait until $OTHER runs again as its standby, or for nobody after \`alone\`"
}

set_standbys() {
    psql -q -v ON_ERROR_STOP=1 -c "ALTER SYSTEM SET synchronous_standby_names = '$1'" -c "SELECT pg_reload_conf()" >/dev/null
}

case "${1:-run}" in
    run) run ;;
    promote) promote ;;
    alone) set_standbys "" ;;
    strict) set_standbys "ANY 1 (*)" ;;
    *)
        say "run, promote, alone or strict, and not $1"
        exit 2
        ;;
esac
