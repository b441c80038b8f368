#!/bin/sh
# SPDX-License-Identifier: MIT
# Replace src/uapi/drm/ by the headers of another kernel, unchanged:
#   tools/update-uapi.sh [6.12]
# Takes the newest linux-headers-<series>.*-common that apt knows and rewrites SHA256SUMS and ORIGIN.
set -eu
series=${1:-6.12}
root=$(cd "$(dirname "$0")/.." && pwd)
package=$(apt-cache pkgnames "linux-headers-$series." | grep -- '-common$' | sort -V | tail -n 1)
test -n "$package" || { echo "no linux-headers-$series.*-common in apt" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
(cd "$tmp" && apt-get -q download "$package")
dpkg-deb --fsys-tarfile "$tmp"/*.deb | tar -x -C "$tmp" --wildcards '*/include/uapi/drm/*'
for h in drm.h drm_mode.h amdgpu_drm.h msm_drm.h; do
    cp "$tmp"/usr/src/linux-headers-*/include/uapi/drm/$h "$root/src/uapi/drm/$h"
done
echo "$(basename "$tmp"/*.deb .deb): include/uapi/drm" > "$root/src/uapi/ORIGIN"
cd "$root/src/uapi"
sha256sum drm/*.h > SHA256SUMS
cat ORIGIN SHA256SUMS
