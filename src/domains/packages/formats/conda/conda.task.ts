import { listOf, members, type Members, numberOf, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import { readTar } from '../../registry/archives/tar.ts'
import { bunzipHead } from './bunzip.ts'

export interface CondaPackage {
  readonly name: string
  readonly version: string
  readonly build: string
  readonly subdir: string
  /** The entry of the index, without members about the file itself. */
  readonly entry: Members
}

export interface CondaArchive {
  /** A tar archive, or the beginning of one that is compressed by bzip2. */
  readonly bytes: Uint8Array
  readonly isBzip2: boolean
}

const MAX_ARCHIVE = 16 * 1024 * 1024
const MAX_INDEX = 256 * 1024
const NAME = /^[a-z\d_][a-z\d_.-]{0,199}$/
const VERSION = /^[\w.+!]{1,100}$/
const BUILD = /^[\w.+]{1,200}$/
const SUBDIR = /^[a-z\d_]{1,50}(?:-[a-z\d_]{1,50})?$/
const MAX_LIST = 1000
const MAX_TEXT = 2000

/** Reads `info/index.json` of a package; throws for an invalid package. Runs in a child process. */
export const createTask =
  () =>
  async ({ bytes, isBzip2 }: CondaArchive): Promise<CondaPackage> => {
    const archive = isBzip2 ? bunzipHead(bytes, MAX_ARCHIVE) : bytes
    let text: string | undefined
    await readTar(
      (async function* () {
        yield archive
      })(),
      { maxBytes: MAX_ARCHIVE, maxEntries: 20_000 },
      async (entry) => {
        if (!/^(?:\.\/)?info\/index\.json$/.test(entry.name)) return true
        text = (await entry.read(MAX_INDEX)).toString('utf8')
        return false
      },
    )
    if (text === undefined) throw new Error('the package has no info/index.json')
    return describe(members(parseJson(text)?.value))
  }

function describe(index: Members): CondaPackage {
  const own = (name: string): string => textOf(index[name], MAX_TEXT)
  const [name, version, build] = [own('name'), own('version'), own('build')]
  if (!NAME.test(name)) throw new Error('the name of the package is invalid')
  if (!VERSION.test(version)) throw new Error('the version of the package is invalid')
  if (!BUILD.test(build)) throw new Error('the build of the package is invalid')
  const subdir = own('subdir') || 'noarch'
  if (!SUBDIR.test(subdir)) throw new Error('the subdir of the package is invalid')
  const entry: Record<string, unknown> = {
    name,
    version,
    build,
    build_number: numberOf(index['build_number']),
    depends: textsOf(index, 'depends'),
    subdir,
  }
  if (index['constrains'] !== undefined) entry['constrains'] = textsOf(index, 'constrains')
  for (const field of ['license', 'license_family', 'noarch', 'arch', 'platform', 'features', 'track_features'])
    if (own(field) !== '') entry[field] = own(field)
  if (numberOf(index['timestamp']) > 0) entry['timestamp'] = index['timestamp']
  return { name, version, build, subdir, entry }
}

function textsOf(index: Members, field: string): string[] {
  const list = listOf(index[field])
  if (list.length > MAX_LIST) throw new Error(`the package has more than ${MAX_LIST} entries in ${field}`)
  return list.map((one) => textOf(one, MAX_TEXT))
}
