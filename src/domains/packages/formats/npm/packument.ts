import type { PackageContents } from '../../packages/package-contents.service.ts'
import type { PackageEntry, VersionEntry, VersionFile } from '../../packages/package-contents.store.ts'
import type { FormerDocument, PackageDocument } from '../../registry/documents/package-documents.service.ts'
import { existingTags, integrityOf, manifestOf, readPackage, taggedVersions } from './npm-metadata.ts'
import { isProvenance, presentAttestations } from './npm-provenance.ts'

/** After more publications than these, the document is generated again. */
const MAX_ADDED = 100

/**
 * The document that npm reads of a package. With thousands of versions it has megabytes, so that the stored JSON of
 * versions is copied as text, and a new version is added to the former document.
 *
 * Its text is the line of the package, a line for each version, and the line of the times: JSON that is written without
 * spaces has no line break.
 */
export const packument = (contents: PackageContents, entry: PackageEntry, base: string): PackageDocument => ({
  entry,
  name: 'packument',
  basis: `${base} lines`,
  async make(former) {
    const tagged = await contents.listVersionsNamed(entry, taggedVersions(entry))
    const head = (last: VersionFile | undefined): string => headOf(entry, tagged, last)
    const added = former && (await addTo(contents, entry, former))
    if (added !== undefined) {
      const { text, files } = added
      const [start, end] = [text.indexOf('\n'), text.lastIndexOf('\n')]
      const { versions, times } = linesOf(files, entry, base)
      return Buffer.concat([
        Buffer.from(head(files.at(-1))),
        text.subarray(start, end),
        Buffer.from(`,\n${versions.join(',\n')}`),
        text.subarray(end, -END.length),
        Buffer.from(`,${times.join(',')}${END}`),
      ])
    }
    const files = await contents.listVersionFiles(entry)
    const { versions, times } = linesOf(files, entry, base)
    return `${head(files.at(-1))}\n${versions.join(',\n')}\n},"time":{${times.join(',')}${END}`
  },
})

const END = '}}'

/**
 * The former document and the files of the versions that were published since, if nothing else has changed: each
 * publication increases the revision by one, and the version before them is the last one of the former document.
 */
async function addTo(
  contents: PackageContents,
  entry: PackageEntry,
  former: FormerDocument,
): Promise<{ readonly text: Buffer; readonly files: readonly VersionFile[] } | undefined> {
  const count = entry.revision - former.revision
  if (count < 1 || count > MAX_ADDED) return undefined
  const newest = await contents.listVersionFiles(entry, count + 1)
  const ids = [...new Set(newest.map((file) => file.version_id))]
  const text = ids.length === count + 1 ? await former.read() : undefined
  const last = Buffer.from(timeOf(newest[0]!) + END)
  if (text === undefined || !text.subarray(-last.length).equals(last)) return undefined
  return { text, files: newest.filter((file) => file.version_id !== ids[0]) }
}

/** The begin of the document; `last`: of the newest version. */
function headOf(entry: PackageEntry, tagged: readonly VersionEntry[], last: VersionFile | undefined): string {
  const tags = existingTags(entry, tagged)
  const latest = tagged.find(({ version }) => version === tags['latest'])
  const manifest = manifestOf({ metadata: latest?.metadata ?? last?.version_metadata ?? '' })
  const { description, repository, author, license, homepage, keywords } = manifest
  const head = JSON.stringify({
    _id: entry.name,
    name: entry.name,
    description,
    'dist-tags': tags,
    readme: readPackage(entry.metadata).readme,
    repository,
    author,
    license,
    homepage,
    keywords,
  })
  return `${head.slice(0, -1)},"versions":{`
}

// NOTE: the characters of a version need no escape in JSON (semver.org, 2 and 9).
const timeOf = ({ version, published_at: at }: VersionFile): string => `"${version}":"${new Date(at).toISOString()}"`

function linesOf(
  files: readonly VersionFile[],
  { name }: PackageEntry,
  base: string,
): { readonly versions: string[]; readonly times: string[] } {
  const bundles = new Map(files.filter(isProvenance).map((file) => [file.version_id, file]))
  const address = `${base}/${encodeURIComponent(name)}/-/`
  const [versions, times]: [string[], string[]] = [[], []]
  for (const file of files) {
    if (isProvenance(file)) continue
    const { version, version_metadata: manifest } = file
    const bundle = bundles.get(file.version_id)
    const tarball = JSON.stringify(`${address}${version}/${encodeURIComponent(file.name)}`)
    const attestations = bundle && JSON.stringify(presentAttestations({ base, name, version }, bundle))
    const more = attestations === undefined ? '' : `,"attestations":${attestations}`
    const dist = `{"integrity":"${integrityOf(file)}","shasum":"${file.sha1}","tarball":${tarball}${more}}`
    versions.push(`"${version}":${manifest.slice(0, -1)},"dist":${dist}}`)
    times.push(timeOf(file))
  }
  return { versions, times }
}
