import { members, parseJson, textOf, timeOf } from '../../../../core/platform/json-members.ts'
import { type ListedFile, listedFile, type UpstreamFormat } from '../upstream-format.ts'

const INDEX = /^\/(?:[12]|3\/[\w-]|[\w-]{2}\/[\w-]{2})\/(?<name>[A-Za-z0-9][\w-]{0,63})$/
const FILE = /^\/api\/v1\/crates\/(?<name>[A-Za-z0-9][\w-]{0,63})\/(?<version>\d[\w.+-]*)\/download$/
const TEXT = 'text/plain;charset=utf-8'
const CONFIG = 'config.json'

/** A sparse index of Cargo; its address is that of the index, without `sparse+`. */
export const cargoUpstream: UpstreamFormat = {
  type: 'cargo',
  hasTimes: true,
  parse(path) {
    const { name, version } = (INDEX.exec(path) ?? FILE.exec(decodeURIComponent(path)))?.groups ?? {}
    if (name === undefined) return undefined
    const index = { path: pathOf(name.toLowerCase()), type: TEXT, name: name.toLowerCase() }
    // The public registry regards names that differ by these signs as equal.
    const names = [name, name.replaceAll('-', '_'), name.replaceAll('_', '-')]
    if (version === undefined) return { names, source: { document: index } }
    return { names, source: { listed: version, index, config: { path: CONFIG, type: TEXT } } }
  },
  isDocument: (bytes, path) =>
    path !== CONFIG || textOf(members(parseJson(bytes.toString('utf8'))?.value)['dl']) !== '',
  read(text, { name, url, newest, config }) {
    const files = new Map<string, ListedFile>()
    const lines: string[] = []
    const { dl } = members(parseJson(config)?.value)
    const sentLines = text.split('\n').filter((one) => one.trim() !== '')
    if (sentLines.length === 0) throw new Error('the index of the crate is empty')
    for (const line of sentLines) {
      const entry = members(parseJson(line)?.value)
      const { name: sent, vers, cksum, pubtime } = entry
      if (textOf(sent).toLowerCase() !== name) throw new Error('the document is no index of this crate')
      const at = timeOf(pubtime)
      if (newest > 0 && (at === undefined || at > newest)) continue
      lines.push(`${line}\n`)
      const version = textOf(vers)
      const address = downloadOf(textOf(dl), { name: textOf(sent), version, cksum: textOf(cksum) })
      const file = listedFile(address, url, { sha256: textOf(cksum) })
      if (file !== undefined) files.set(version, file)
    }
    return { text: lines.join(''), files }
  },
}

/** Path of a crate in the index (Cargo Book, Index Files). */
function pathOf(name: string): string {
  if (name.length < 3) return `${name.length}/${name}`
  return name.length === 3 ? `3/${name[0]}/${name}` : `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`
}

interface Crate {
  readonly name: string
  readonly version: string
  readonly cksum: string
}

/** Download address according to `dl` in config.json (Cargo Book, Index Configuration). */
function downloadOf(dl: string, { name, version, cksum }: Crate): string {
  const prefix = (text: string): string => pathOf(text).split('/').slice(0, -1).join('/')
  const values: Readonly<Record<string, string>> = {
    crate: name,
    version,
    'sha256-checksum': cksum,
    prefix: prefix(name),
    lowerprefix: prefix(name.toLowerCase()),
  }
  const filled = dl.replaceAll(/\{([a-z0-9-]+)\}/g, (marker, key: string) =>
    values[key] === undefined ? marker : values[key].split('/').map(encodeURIComponent).join('/'),
  )
  return filled === dl ? `${dl}/${encodeURIComponent(name)}/${encodeURIComponent(version)}/download` : filled
}
