import { errors } from '../../../errors.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import { readTar } from '../../registry/archives/tar.ts'

export interface ArchPackage {
  readonly name: string
  readonly version: string
  readonly arch: string
  /** Sections of the database by their names, without those of the file itself. */
  readonly sections: Readonly<Record<string, readonly string[]>>
  /** Paths of all files, folders with a slash at the end. */
  readonly files: readonly string[]
}

const LIMITS = { maxBytes: 8 * 1024 * 1024 * 1024, maxEntries: 200_000 }
const MAX_INFO = 256 * 1024
const MAX_PATHS = 8 * 1024 * 1024

/** Reads a package (PKGBUILD(5), alpm), compressed by zstd, gzip or not at all. Throws BadRequest for other bytes. */
export async function readArchPackage(source: AsyncIterable<Uint8Array>): Promise<ArchPackage> {
  const files: string[] = []
  let info: string | undefined
  let length = 0
  await readTar(source, LIMITS, async (entry) => {
    if (/[\n\r\0]|^\/|(?:^|\/)\.\.(?:\/|$)/.test(entry.name)) throw badRequest('a path in the package is invalid')
    if (entry.name === '.PKGINFO') info = (await entry.read(MAX_INFO)).toString('utf8')
    if (entry.name.startsWith('.')) return true
    length += entry.name.length
    if (length > MAX_PATHS) throw badRequest('the paths in the package are too long')
    files.push(entry.type === 'directory' && !entry.name.endsWith('/') ? `${entry.name}/` : entry.name)
    return true
  })
  if (info === undefined) throw badRequest('the package has no .PKGINFO')
  return { ...describe(info), files }
}

const NAME = /^[a-z\d@_+][\w@.+-]{0,199}$/i
const VERSION = /^(?:\d{1,9}:)?[A-Za-z\d][\w.+~]{0,150}-\d{1,9}(?:\.\d{1,9})?$/
const ARCH = /^[a-z\d_]{1,50}$/

/** Names of sections by the keys of .PKGINFO. */
const SECTIONS = {
  pkgname: 'NAME',
  pkgbase: 'BASE',
  pkgver: 'VERSION',
  pkgdesc: 'DESC',
  group: 'GROUPS',
  size: 'ISIZE',
  url: 'URL',
  license: 'LICENSE',
  arch: 'ARCH',
  builddate: 'BUILDDATE',
  packager: 'PACKAGER',
  replaces: 'REPLACES',
  conflict: 'CONFLICTS',
  provides: 'PROVIDES',
  depend: 'DEPENDS',
  optdepend: 'OPTDEPENDS',
  makedepend: 'MAKEDEPENDS',
  checkdepend: 'CHECKDEPENDS',
} as const

function describe(info: string): Omit<ArchPackage, 'files'> {
  const values = valuesOf(info)
  const [name, version, arch] = ['pkgname', 'pkgver', 'arch'].map((key) => values.get(key)?.[0] ?? '') as [
    string,
    string,
    string,
  ]
  if (!NAME.test(name)) throw badRequest('the name of the package is invalid')
  if (!VERSION.test(version)) throw errors.packageVersionInvalid()
  if (!ARCH.test(arch)) throw badRequest('the architecture of the package is invalid')
  const sections = Object.entries(SECTIONS).flatMap(([key, section]) => {
    const found = values.get(key)
    return found === undefined ? [] : [[section, found] as const]
  })
  return { name, version, arch, sections: Object.fromEntries(sections) }
}

function valuesOf(info: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const line of info.toWellFormed().replaceAll('\0', '').split('\n')) {
    const [, key = '', value = ''] = /^([a-z]+) = (.*)$/.exec(line.trimEnd()) ?? []
    if (value === '') continue
    const found = values.get(key) ?? []
    values.set(key, found)
    found.push(value)
  }
  return values
}
