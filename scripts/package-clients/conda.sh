# Publishes packages of both kinds and lets rattler, the library of pixi, solve and install them
# (pip install py-rattler zstandard).
cat >publish.py <<'PYTHON'
import hashlib, io, json, os, sys, tarfile, zipfile
import zstandard

def tar(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()

def contents(name, version, depends):
    text = f"{name} {version}\n".encode()
    path = f"share/{name}.txt"
    entry = {"_path": path, "path_type": "hardlink", "sha256": hashlib.sha256(text).hexdigest(), "size_in_bytes": len(text)}
    index = {"name": name, "version": version, "build": "0", "build_number": 0, "depends": depends, "subdir": "noarch",
             "noarch": "generic"}
    info = {"info/index.json": json.dumps(index), "info/files": path + "\n",
            "info/paths.json": json.dumps({"paths": [entry], "paths_version": 1})}
    return {key: value.encode() for key, value in info.items()}, {path: text}

info, files = contents("clientsbase", "1.0", [])
with tarfile.open("clientsbase-1.0-0.tar.bz2", "w:bz2") as archive:
    for name, content in {**info, **files}.items():
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
info, files = contents("clientstool", "2.0+git", ["clientsbase >=1.0"])
with zipfile.ZipFile("clientstool-2.0+git-0.conda", "w") as archive:
    archive.writestr("metadata.json", '{"conda_pkg_format_version": 2}')
    for part, group in (("info", info), ("pkg", files)):
        archive.writestr(f"{part}-clientstool-2.0+git-0.tar.zst", zstandard.compress(tar(group)))
PYTHON
python3 publish.py
for file in *.tar.bz2 *.conda; do
  curl --silent --fail --user "$OWNER:$TOKEN" --upload-file "$file" "$BASE/conda/stable/$file"
done
cat >install.py <<'PYTHON'
import asyncio, os
from rattler import Gateway, install, solve

async def main():
    records = await solve([os.environ["BASE"] + "/conda/stable"], ["clientstool"], Gateway(cache_dir="cache"),
                          platforms=["linux-64", "noarch"])
    assert sorted(record.file_name for record in records) == ["clientsbase-1.0-0.tar.bz2", "clientstool-2.0+git-0.conda"]
    await install(records, target_prefix="prefix", cache_dir="packages", show_progress=False)

asyncio.run(main())
PYTHON
python3 install.py
grep -q 'clientsbase 1.0' prefix/share/clientsbase.txt
grep -q 'clientstool 2.0+git' prefix/share/clientstool.txt
