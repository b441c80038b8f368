#!/bin/sh
# SPDX-License-Identifier: MIT
# install_packages.sh LIST: install the Debian packages named in LIST that are missing.
set -eu
missing=
for p in $(grep -v '^#' "$1"); do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get install -y -q $missing >/dev/null 2>&1 ||
    { $sudo apt-get update -q >/dev/null && $sudo apt-get install -y -q $missing >/dev/null; } ||
    { echo "could not install:$missing (Debian 12 has them; is this another system?)" >&2; exit 1; }
