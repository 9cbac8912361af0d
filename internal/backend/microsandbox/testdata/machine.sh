# An msb for tests that runs its one sandbox, web, on this host.
dir=@DIR@
if [ -f "$dir/fail-$1" ]; then
	cat "$dir/fail-$1" >&2
	[ ! -f "$dir/pauses-$1" ] || echo Paused >"$dir/status"
	[ ! -f "$dir/once-$1" ] || rm "$dir/fail-$1"
	exit 1
fi
if [ -f "$dir/answer-$1" ]; then
	exec cat "$dir/answer-$1"
fi
missing() {
	echo "error: sandbox not found: web" >&2
	exit 1
}
end_guest() {
	[ -f "$dir/session" ] && kill -s KILL -- "-$(cat "$dir/session")" 2>/dev/null
	rm -f "$dir/session"
}
case $1 in
--version)
	cat "$dir/version"
	;;
create | run | restore)
	[ -f "$dir/status" ] && { echo "error: sandbox already exists: sandbox 'web' already exists" >&2; exit 1; }
	for arg; do
		case $arg in
		--mount-dir=*:/.rightsize | --volume=*:/.rightsize) share=${arg#--*=} && echo "${share%:*}" >"$dir/share" ;;
		esac
	done
	echo Running >"$dir/status"
	# One that 0.6 restores is kept up by a command, which begins.
	[ "$1" != run ] || : >"$(cat "$dir/share")/idle"
	;;
inspect)
	[ -f "$dir/status" ] && [ "$3" = web ] || missing
	cat <<-EOF
		{"name": "web", "status": "$(cat "$dir/status")", "updated_at": "2033-05-18T03:33:20Z", "config": {
		 "image": {"Oci": {"reference": "app:1", "root_disk": {"kind": "managed", "size_mib": 4096}}},
		 "mounts": [{"type": "Tmpfs", "guest": "/tmp"}, {"type": "Bind", "host": "$(cat "$dir/share")", "guest": "/.rightsize"}]}}
	EOF
	;;
ps)
	[ -f "$dir/status" ] || { echo '[]'; exit; }
	echo "[{\"name\": \"web\", \"status\": \"$(cat "$dir/status")\"}]"
	;;
start)
	[ -f "$dir/status" ] || missing
	echo Running >"$dir/status"
	;;
stop)
	[ -f "$dir/status" ] || missing
	end_guest
	echo Stopped >"$dir/status"
	;;
remove)
	[ -f "$dir/status" ] || missing
	end_guest
	rm "$dir/status"
	;;
resume)
	echo Running >"$dir/status"
	;;
modify)
	case $2 in
	--next-start) echo '{"applied": true}' && exit ;;
	--compact) exit ;;
	esac
	[ "$(cat "$dir/status")" = Stopped ] && echo '{"applied": true}' || echo '{"applied": false, "status": "running"}'
	;;
exec)
	while [ "$1" != -- ]; do shift; done
	shift
	if [ "$4" = rightsize-workload ]; then
		echo $$ >"$dir/session"
		script=$(echo "$3" | sed "s|/\.rightsize|$(cat "$dir/share")|")
		shift 4
		exec /bin/sh -c "$script" rightsize-workload "$@"
	fi
	# What is shared is elsewhere on this host.
	for arg; do
		shift
		case $arg in
		/.rightsize/*) set -- "$@" "$(cat "$dir/share")/${arg#/.rightsize/}" ;;
		*) set -- "$@" "$arg" ;;
		esac
	done
	# A guest that does something else than it is told to.
	[ ! -f "$dir/guest" ] || exec /bin/sh "$dir/guest" "$@"
	exec "$@"
	;;
logs)
	case "$*" in
	*--source=system*) [ ! -f "$dir/system.log" ] || cat "$dir/system.log" ;;
	*--follow*) exec tail -n +1 -f "$dir/all.log" ;;
	*) cat "$dir/all.log" ;;
	esac
	;;
snapshot)
	case $2$3 in
	create--from-sandbox=*)
		kind='"kind": "file", "layers": [{"layer_id": "layer_1", "format": "raw", "virtual_size": 4}]' file=layers/layer_1.raw
		for arg; do
			case $arg in
			--dest-dir=*) dest=${arg#*=} ;;
			--group=*) group=${arg#*=} ;;
			--label=*) pair=${arg#*=} label="\"${pair%%=*}\": \"${pair#*=}\"" ;;
			--full)
				kind='"kind": "checkpoint", "requirements_summary": {"memory_mib": 512, "vcpus": 1}' file=checkpoint/checkpoint.json
				;;
			esac
		done
		id=snap_$(date +%s%N | md5sum | cut -d' ' -f1)
		mkdir -p "$dest/$group/$id/${file%/*}"
		printf disk >"$dest/$group/$id/$file"
		: >"$dest/$group/group.json"
		echo "{\"schema\": \"microsandbox.snapshot/1\", \"snapshot_id\": \"$id\", \"capture\": {\"created_at\": \"$(date -u +%FT%T.%NZ)\"},
		 \"image\": {\"reference\": \"app:1\", \"manifest_digest\": \"sha256:$(printf %064d 1)\"}, \"state\": {$kind}}" >"$dest/$group/$id/snapshot.json"
		echo "{\"schema\": \"microsandbox.snapshot-metadata/1\", \"labels\": {$label}}" >"$dest/$group/$id/metadata.json"
		printf '%s\n%s\n' "$id" "$dest/$group/$id"
		;;
	remove--force)
		rm -r "$4"
		;;
	create*)
		[ "$(cat "$dir/status")" = Stopped ] || { echo "error: snapshot source sandbox 'web' is not stopped" >&2; exit 1; }
		for arg; do
			case $arg in
			--dest-dir=*) dest=${arg#*=} ;;
			--label=*) pair=${arg#*=} label="\"${pair%%=*}\": \"${pair#*=}\"" ;;
			esac
		done
		mkdir "$dest/$arg"
		printf disk >"$dest/$arg/upper.ext4"
		echo "{\"schema\": 1, \"artifact\": \"snapshot\", \"created_at\": \"$(date -u +%FT%T.%NZ)\",
		 \"image\": {\"ref\": \"app:1\", \"manifest_digest\": \"sha256:$(printf %064d 1)\"}, \"source_sandbox\": \"web\",
		 \"state\": {\"upper\": {\"file\": \"upper.ext4\", \"size_bytes\": 4}}, \"labels\": {$label}}" >"$dest/$arg/snapshot.json"
		digest=sha256:$(sha256sum <"$dest/$arg/snapshot.json" | cut -d' ' -f1)
		echo "$digest $dest/$arg" >>"$dir/index"
		printf '%s\n%s\n' "$digest" "$dest/$arg"
		;;
	list*)
		separator='['
		[ -f "$dir/index" ] || { echo '[]'; exit; }
		while read -r digest path; do
			printf '%s{"digest": "%s", "artifact_path": "%s"}' "$separator" "$digest" "$path"
			separator=,
		done <"$dir/index"
		echo ']'
		;;
	remove*)
		path=$(sed -n "s|^$3 ||p" "$dir/index")
		rm -r "$path"
		grep -v "^$3 " "$dir/index" >"$dir/index.new"
		mv "$dir/index.new" "$dir/index"
		;;
	esac
	;;
*)
	echo "error: the machine knows no $*" >&2
	exit 97
	;;
esac
