import { errors } from '../../../errors.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import { members, type Members, parseJson } from '../../../../core/platform/json-members.ts'
import type { ZipReader } from '../../registry/archives/zip.ts'

/** A version of a package, as its composer.json describes it. */
export interface ComposerPackage {
  readonly name: string
  readonly version: string
  /** The members of composer.json that repositories show. */
  readonly shown: Members
}

const MAX_COMPOSER_JSON = 256 * 1024
const NAME = /^[a-z\d]+(?:[_.-][a-z\d]+)*\/[a-z\d]+(?:(?:[_.]|-{1,2})[a-z\d]+)*$/

/** The versions that Composer accepts: numbers with a stability, dates, and branches. */
const VERSION = [
  /^v?\d{1,9}(?:\.\d{1,9}){0,3}(?:[._-]?(?:stable|beta|b|rc|alpha|a|patch|pl|p)(?:[.-]?\d{1,9}){0,3})?(?:[.-]?dev)?(?:\+[\w.+-]+)?$/i,
  /^v?\d{4}(?:[.:-]?\d{2}){1,6}(?:[.:-]?\d{1,3}){0,2}$/,
  /^v?\d{1,9}(?:\.\d{1,9}){0,2}\.x-dev$/i,
  /^dev-[\w./+#-]+$/,
]

const SHOWN = [
  'abandoned',
  'authors',
  'autoload',
  'bin',
  'conflict',
  'description',
  'extra',
  'funding',
  'homepage',
  'include-path',
  'keywords',
  'license',
  'provide',
  'replace',
  'require',
  'require-dev',
  'suggest',
  'support',
  'target-dir',
  'type',
]

/** `version` is of the address; without it that of composer.json. Throws BadRequest. */
export async function readComposerPackage(zip: ZipReader, version: string | null): Promise<ComposerPackage> {
  const sent = await zip.read('composer.json', MAX_COMPOSER_JSON)
  if (sent === undefined) throw badRequest('composer.json file is missing')
  const parsed = parseJson(sent.toString('utf8').toWellFormed().replaceAll('\0', ''))
  if (parsed === undefined) throw badRequest('composer.json is not valid JSON')
  const document = members(parsed.value)
  const { name } = document
  if (typeof name !== 'string' || name.length > 255 || !NAME.test(name)) throw errors.packageNameInvalid()
  const chosen = version ?? document['version']
  if (typeof chosen !== 'string' || chosen.length > 255 || !VERSION.some((form) => form.test(chosen)))
    throw errors.packageVersionInvalid()
  const shown = Object.fromEntries(SHOWN.flatMap((key) => (key in document ? [[key, document[key]]] : [])))
  return { name, version: chosen, shown }
}

/** The value of a member that the version before has and this one does not. */
const UNSET = '__unset'

/**
 * The `composer/2.0` form of Composer: each version has only the members that differ from those of the version before.
 */
export function minified(versions: readonly Members[]): Members[] {
  let former: Members = {}
  return versions.map((version) => {
    const changed = Object.entries(version).filter(([key, value]) => !isSame(value, former[key]))
    const unset = Object.keys(former).flatMap((key) => (key in version ? [] : [[key, UNSET] as const]))
    former = version
    return Object.fromEntries([...changed, ...unset])
  })
}

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
