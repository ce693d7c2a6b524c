import { createHash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { readTar, type TarEntry } from '../../registry/archives/tar.ts'

export interface ApkPackage {
  readonly name: string
  readonly version: string
  readonly arch: string
  /** Lines of the index, without that of the size. */
  readonly lines: readonly string[]
}

const MAX_CONTROL = 16 * 1024 * 1024
const MAX_INFO = 256 * 1024

/**
 * Reads the control stream of a package from its first bytes; throws for an invalid package. Runs in a child process.
 */
export const createTask =
  () =>
  async (sent: Uint8Array): Promise<ApkPackage> => {
    const bytes = Buffer.from(sent)
    const first = readMember(bytes, 0)
    let info = await findInfo(first.content)
    let control = bytes.subarray(0, first.end)
    if (info === undefined) {
      const second = readMember(bytes, first.end)
      info = await findInfo(second.content)
      control = bytes.subarray(first.end, second.end)
    }
    if (info === undefined) throw new Error('the package has no .PKGINFO')
    return describe(info, `Q1${createHash('sha1').update(control).digest('base64')}`)
  }

const NOT_A_PACKAGE = 'the file is not an Alpine package'
const [FHCRC, FEXTRA, FNAME, FCOMMENT] = [2, 4, 8, 16] as const

/** One of the gzip streams that a package consists of (RFC 1952). */
function readMember(bytes: Buffer, start: number): { readonly content: Buffer; readonly end: number } {
  if (start + 18 > bytes.length || bytes.readUIntBE(start, 3) !== 0x1f8b08) throw new Error(NOT_A_PACKAGE)
  const flags = bytes[start + 3]!
  let at = start + 10
  if (flags & FEXTRA) at += 2 + bytes.readUInt16LE(at)
  for (const flag of [FNAME, FCOMMENT]) if (flags & flag) at = bytes.indexOf(0, at) + 1 || bytes.length
  if (flags & FHCRC) at += 2
  const { buffer: content, engine } = inflateRawSync(bytes.subarray(at), {
    info: true,
    maxOutputLength: MAX_CONTROL,
  }) as unknown as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }
  return { content, end: at + engine.bytesWritten + 8 }
}

async function findInfo(archive: Buffer): Promise<string | undefined> {
  let text: string | undefined
  const visit = async (entry: TarEntry): Promise<boolean> => {
    if (entry.name !== '.PKGINFO') return true
    text = (await entry.read(MAX_INFO)).toString('utf8')
    return false
  }
  await readTar(
    (async function* () {
      yield archive
    })(),
    { maxBytes: MAX_CONTROL, maxEntries: 1000 },
    visit,
  )
  return text
}

const NAME = /^[A-Za-z\d_][\w.+-]{0,199}$/
const VERSION = /^\d+(?:\.\d+)*[a-z]?(?:_[a-z]{1,5}\d*)*(?:~[\da-f]+)?(?:-r\d+)?$/
const ARCH = /^[a-z\d_-]{1,50}$/

function describe(info: string, checksum: string): ApkPackage {
  const fields = new Map<string, string[]>()
  for (const line of info.toWellFormed().replaceAll('\0', '').split('\n')) {
    const [, key, value] = /^([a-z_]+) = (.*)$/.exec(line.trimEnd()) ?? []
    if (key !== undefined) fields.set(key, [...(fields.get(key) ?? []), value!.trim()])
  }
  const one = (key: string): string => fields.get(key)?.[0] ?? ''
  const [name, version, arch] = [one('pkgname'), one('pkgver'), one('arch')]
  if (!NAME.test(name)) throw new Error('the name of the package is invalid')
  if (version.length > 200 || !VERSION.test(version)) throw new Error('the version of the package is invalid')
  if (!ARCH.test(arch)) throw new Error('the architecture of the package is invalid')
  const all = (key: string): string => (fields.get(key) ?? []).join(' ')
  const values = [
    ['C', checksum],
    ['P', name],
    ['V', version],
    ['A', arch],
    ['I', one('size')],
    ['T', one('pkgdesc')],
    ['U', one('url')],
    ['L', one('license')],
    ['o', one('origin')],
    ['m', one('maintainer')],
    ['t', one('builddate')],
    ['c', one('commit')],
    ['k', one('provider_priority')],
    ['D', all('depend')],
    ['p', all('provides')],
    ['r', all('replaces')],
    ['i', all('install_if')],
  ] as const
  return { name, version, arch, lines: values.flatMap(([key, value]) => (value === '' ? [] : [`${key}:${value}`])) }
}
