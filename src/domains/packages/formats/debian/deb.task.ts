import { decompress } from '../../registry/archives/decompress.ts'
import { readTar } from '../../registry/archives/tar.ts'

export interface DebPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
  /** The fields of the control file, one paragraph that ends in a newline. */
  readonly control: string
}

const MAX_CONTROL_ARCHIVE = 16 * 1024 * 1024
const MAX_CONTROL = 128 * 1024

/**
 * Reads the control file of a Debian package (deb(5)) from its first bytes; throws for an invalid package. Runs in a
 * child process.
 */
export const createTask =
  () =>
  async (bytes: Uint8Array): Promise<DebPackage> => {
    const archive = await decompress(controlMember(Buffer.from(bytes)), MAX_CONTROL_ARCHIVE)
    let text: string | undefined
    const limits = { maxBytes: MAX_CONTROL_ARCHIVE, maxEntries: 1000 }
    await readTar(
      (async function* () {
        yield archive
      })(),
      limits,
      async (entry) => {
        if (!/^(?:\.\/)?control$/.test(entry.name)) return true
        text = (await entry.read(MAX_CONTROL)).toString('utf8')
        return false
      },
    )
    if (text === undefined) throw new Error('the package has no control file')
    return readControl(text)
  }

const HEADER = 60

/** The member `control.tar` of the ar archive. */
function controlMember(bytes: Buffer): Buffer {
  if (bytes.toString('latin1', 0, 8) !== '!<arch>\n') throw new Error('the file is not a Debian package')
  for (let at = 8, count = 0; at + HEADER <= bytes.length && count < 10; count++) {
    const name = bytes.toString('latin1', at, at + 16).trim()
    const size = Number(bytes.toString('latin1', at + 48, at + 58).trim())
    if (bytes.toString('latin1', at + 58, at + 60) !== '`\n' || !Number.isSafeInteger(size) || size < 0) break
    if (count === 0 && !/^debian-binary\/?$/.test(name)) break
    if (/^control\.tar(?:\.(?:gz|xz|zst))?\/?$/.test(name)) {
      if (at + HEADER + size > bytes.length) throw new Error('the control archive of the package is too large')
      return bytes.subarray(at + HEADER, at + HEADER + size)
    }
    at += HEADER + size + (size % 2)
  }
  throw new Error('the file is not a Debian package')
}

const NAME = /^[a-z\d][a-z\d+.-]{1,199}$/
/** A version; it has no underscores, which separate it in the names of files (deb-version(7)). */
const VERSION = /^(?:\d{1,9}:)?\d[A-Za-z\d.+~:-]{0,199}$/
const ARCHITECTURE = /^[a-z\d][a-z\d-]{0,99}$/
/** The index says these of the file itself. */
const OF_THE_INDEX = new Set(['filename', 'size', 'md5sum', 'sha1', 'sha256', 'sha512'])

function readControl(text: string): DebPackage {
  const fields = new Map<string, string>()
  let last = ''
  for (const line of text.toWellFormed().replaceAll('\r\n', '\n').trimEnd().split('\n')) {
    const field = /^([!-9;-~]+):/.exec(line)?.[1]
    if (/^[ \t]/.test(line) && last !== '') fields.set(last, `${fields.get(last)}${line.trimEnd()}\n`)
    else if (field === undefined || field.startsWith('-') || fields.has(field.toLowerCase()))
      throw new Error('the control file is invalid')
    else fields.set((last = field.toLowerCase()), `${line.trimEnd()}\n`)
  }
  const value = (name: string): string =>
    fields
      .get(name)
      ?.replace(/^[^:]*:/, '')
      .trim() ?? ''
  const [name, version, architecture] = [value('package'), value('version'), value('architecture')]
  if (!NAME.test(name)) throw new Error('the name of the package is invalid')
  if (!VERSION.test(version)) throw new Error('the version of the package is invalid')
  if (!ARCHITECTURE.test(architecture)) throw new Error('the architecture of the package is invalid')
  const control = [...fields].flatMap(([field, lines]) => (OF_THE_INDEX.has(field) ? [] : [lines])).join('')
  return { name, version, architecture, control: control.replaceAll('\0', '') }
}
