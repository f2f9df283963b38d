#!/bin/sh
# Install Selvedge, without the embedded PostgreSQL, into a folder of its own:
#
#     docs/deploy/build.sh /opt/selvedge-0.5.0
#
# It needs Python 3.11 to 3.14 with venv (PYTHON names one) and a package index. REQUIREMENTS names what is installed:
# "requirements.txt requirements-tracing.txt" for traces as well. A second argument does one of the two steps alone:
# `packages`, what Selvedge stands on, as pinned; `program`, Selvedge itself.
set -eu
folder=$1
steps=${2:-packages program}
cd "$(dirname "$0")/../.."

for step in $steps; do
    case $step in
    packages)
        "${PYTHON:-python3}" -m venv "$folder"
        for file in ${REQUIREMENTS:-requirements.txt}; do
            "$folder/bin/python" .ci/install.py --require-hashes --requirement "$file"
        done
        # What has installed them is of no more use.
        "$folder/bin/python" -m pip uninstall --quiet --yes setuptools pip
        ;;
    program)
        site=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
        rm -rf "$site/service" "$site/selvedge_client"
        cp -R service client/selvedge_client "$site/"
        mkdir -p "$site/service/_data/docs" "$site/service/_data/page"
        cp -R sql schemas migrations "$site/service/_data/"
        cp -R docs/guides "$site/service/_data/docs/"
        cp -R page/src "$site/service/_data/page/"
        printf '#!%s/bin/python\nfrom service.__main__ import main\n\nmain()\n' "$folder" >"$folder/bin/selvedge"
        chmod 755 "$folder/bin/selvedge"
        # Compiled now, for who serves may write nothing here, and readable by all.
        "$folder/bin/python" -m compileall -q "$site"
        chmod -R go+rX "$folder"
        "$folder/bin/selvedge" --version
        ;;
    *)
        echo "There is no step $step." >&2
        exit 2
        ;;
    esac
done
