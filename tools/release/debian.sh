# Sourced by tools/release.sh: a Debian package of the command. It is no package of Debian's.

# debian_package BINARY
debian_package() {
  local root=$work/debian architecture file
  architecture=$(dpkg --print-architecture)
  mkdir -p "$root/usr/bin" "$root/usr/share/doc/nakiri" "$root/DEBIAN"
  install -m 755 "$1" "$root/usr/bin/nakiri"
  documents "$root/usr/share"
  find "$root/usr/share/man" -type f -exec gzip -9n {} +
  copyright > "$root/usr/share/doc/nakiri/copyright"
  notices | gzip -9n > "$root/usr/share/doc/nakiri/THIRD-PARTY.gz"
  gzip -9nc CHANGELOG.md > "$root/usr/share/doc/nakiri/changelog.gz"
  changelog | gzip -9n > "$root/usr/share/doc/nakiri/changelog.Debian.gz"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
  control "$architecture" "$root" > "$root/DEBIAN/control"
  find "$root" -type d -exec chmod 755 {} +
  find "$root" -type f ! -path '*/bin/*' -exec chmod 644 {} +
  file=$out/nakiri_$version-1_$architecture.deb
  dpkg-deb --root-owner-group --build -Zxz "$root" "$file" > /dev/null
  if have lintian; then
    # It closes no bug of Debian's, and the version of a distribution is none of its.
    lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --allow-root "$file"
    echo "lintian finds nothing wrong with $(basename "$file")."
  else
    echo "lintian is not installed: $(basename "$file") was not checked by it." >&2
  fi
}

# Who made the package: DEBFULLNAME and DEBEMAIL, or who made the commit.
maintainer() {
  echo "${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"
}

# control ARCHITECTURE ROOT
control() {
  cat << CONTROL
Package: nakiri
Version: $version-1
Architecture: $1
Maintainer: $(maintainer)
Installed-Size: $(du -sk "$2/usr" | cut -f1)
Depends: $(depends "$2/usr/bin/nakiri")
Recommends: gcc | clang
Suggests: yosys, iverilog, cmake
Section: devel
Priority: optional
Homepage: https://github.com/nakiri/nakiri
Description: compiler of ciphers to constant-time sliced C and Rust
 Nakiri compiles ciphers, hash functions and authenticated encryption written
 in Usuba, a small dataflow language, and synchronous Verilog to C that chooses
 among the vector registers of a CPU at run time. It carries the sources of
 some sixty primitives.
CONTROL
}

# depends BINARY: the packages of what it is linked with.
depends() {
  mkdir -p "$work/shlibdeps/debian"
  printf 'Source: nakiri\n\nPackage: nakiri\nArchitecture: any\n' > "$work/shlibdeps/debian/control"
  if have dpkg-shlibdeps; then
    (cd "$work/shlibdeps" && dpkg-shlibdeps -O "$1" 2> /dev/null | sed -n 's/^shlibs:Depends=//p')
  else
    echo "libc6, libgcc-s1, libstdc++6"
  fi
}

changelog() {
  cat << CHANGELOG
nakiri ($version-1) unstable; urgency=medium

  * Version $version: see changelog.gz.

 -- $(maintainer)  $(date -R --utc -d "@$SOURCE_DATE_EPOCH")
CHANGELOG
}

copyright() {
  cat << 'COPYRIGHT'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: nakiri
Source: https://github.com/nakiri/nakiri
Comment: The command contains crates of others: THIRD-PARTY.gz lists them
 with their licences.

Files: *
Copyright: 2026 The Nakiri developers
License: Expat or Apache-2.0

License: Apache-2.0
 On Debian systems the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.

License: Expat
COPYRIGHT
  sed -n '/^Permission/,$p' LICENSE-MIT | sed 's/^$/./; s/^/ /'
}
